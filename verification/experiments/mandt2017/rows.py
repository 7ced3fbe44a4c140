"""The six samplers of Table 1 at the paper's settings: their exact laws, and fits to their iterates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory import law, registry
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.experiments.ensembles import interval
from verification.experiments.mandt2017.readings import Local
from verification.experiments.record import Amount

Array = Any

# What SGFS injects is not printed. Ahn et al. advise a noise proportional to that of the gradient.
PROPORTIONAL, IDENTITY, LITTLE = "$E E^T = (eps/S) C$", "E = I", "$E E^T = (eps/S) C / 100$"
INJECTED: Mapping[str, Callable[[Local], Array]] = MappingProxyType(
    {
        PROPORTIONAL: lambda about: np.linalg.cholesky(about.rate_of_sgd / about.S * about.C),
        IDENTITY: lambda about: np.eye(about.D),
        LITTLE: lambda about: np.linalg.cholesky(about.rate_of_sgd / about.S * about.C) / 10,
    }
)
BATCHES = 64
SAMPLERS = MappingProxyType(
    {"SGD": "sgd", "SGD_d": "sgd_diagonal", "SGD_f": "sgd", "SGLD": "sgld", "SGFS_d": "sgfs_diagonal",
     "SGFS_f": "sgfs"}
)  # fmt: skip


def params(row: str, about: Local, injected: str = PROPORTIONAL) -> dict[str, Any]:
    """Parameters by Eqs. 15, 17 and 27, Corollaries 3 and 6, and section 7.1.

    Theorem 5 sets S = 1 for simplicity; with minibatches C/S takes the place of C.
    """
    eps, half = about.rate_of_sgd, 2 / about.N
    if row == "SGLD":
        return {"eps": about.rate}
    if row == "SGD":
        return {"eps": eps}
    if row in ("SGD_d", "SGD_f"):
        C = _diagonal(about.C) if row == "SGD_d" else about.C
        return {"H": _rows(half * about.S * np.linalg.inv(C))}
    E = INJECTED[injected](about)
    total = eps / about.S * about.C + E @ E.T
    H = half * np.linalg.inv(_diagonal(total) if row == "SGFS_d" else total)
    return {"eps": eps, "H": _rows(H), "E": E.tolist()}


def _diagonal(m: Array) -> Array:
    return np.diag(np.diag(m))


def _rows(m: Array) -> list[list[float]]:
    found: list[list[float]] = ((m + m.T) / 2).tolist()
    return found


def exact(
    row: str, problem: Problem, about: Local, injected: str = PROPORTIONAL, at: int | None = None
) -> Any:
    """The exact law of a row: on real minibatches, or on the quadratic problem about the mode."""
    return law(SAMPLERS[row], problem.with_params(**params(row, about, injected)), at=at)


def iterates(
    row: str, problem: Problem, about: Local, chains: int, steps: int, every: int, seed: int
) -> Array:
    """Chains of a row on real minibatches, from the mode: (chains, steps, D) about the mode."""
    from simulators.trace import trace

    given = problem.with_params(**params(row, about))
    setting = Setting(registry.sampler(SAMPLERS[row], given.params), given.model)
    values = given.values(setting.sampler)
    found = trace(setting, values, chains=chains, steps=steps, every=every, seed=seed, device="cpu")
    return found.states["theta"] - about.mode


@dataclass(frozen=True, eq=False)
class Fits:
    """First and second moments of the iterates about the mode, of batches of independent chains."""

    means: Array  # (batches, D)
    seconds: Array  # (batches, D, D)

    @classmethod
    def of(cls, states: Array) -> Fits:
        """From (chains, steps, D) about the mode: chains are shared out to batches."""
        rows = states.reshape(BATCHES, -1, states.shape[-1])
        return cls(rows.mean(axis=1), np.einsum("bni,bnj->bij", rows, rows) / rows.shape[1])

    @property
    def mean(self) -> Array:
        """Of all of them."""
        return self.means.mean(axis=0)

    @property
    def covariance(self) -> Array:
        """Of the normal law that is fitted to all of them."""
        return self.seconds.mean(axis=0) - np.outer(self.mean, self.mean)

    def amount(self, quantity: Callable[[Array, Array], float], intervals: int) -> Amount:
        """A quantity of (mean, covariance) with its interval, by the jackknife over batches.

        A divergence is not linear in the moments: that of a fit is too large by the order of 1/n. The
        jackknife takes this away, and its pseudo-values are nearly independent.
        """
        whole, many = quantity(self.mean, self.covariance), len(self.means)
        without = [self._without(k) for k in range(many)]
        values = [many * whole - (many - 1) * quantity(w.mean, w.covariance) for w in without]
        return interval(values, intervals)

    def _without(self, k: int) -> Fits:
        return Fits(np.delete(self.means, k, 0), np.delete(self.seconds, k, 0))
