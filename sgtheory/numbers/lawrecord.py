"""The record of a law in numbers, and how its parts are put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sgtheory.errors import Unstable
from sgtheory.numbers import observables
from sgtheory.numbers.divergence import Posterior
from sgtheory.onestep.full import Array, center
from sgtheory.problem import Values
from sgtheory.setting import Setting

_OPTIONAL = (
    "mean_square_radius", "kl_to_posterior", "kl_from_posterior", "wasserstein2", "period",
    "at", "residual",
)  # fmt: skip


class Blocks(Mapping[tuple[str, str], Array]):
    """Matrices by pair of states: ``("theta", "v")``, or as in JSON ``"theta,v"``; either order.

    Of an unstable sampler there are none, and asking for one says why.

    >>> found = Blocks({("theta", "v"): np.array([[1.0, 2.0], [3.0, 4.0]])})
    >>> found["v,theta"].tolist(), list(found)
    ([[1.0, 3.0], [2.0, 4.0]], [('theta', 'v')])
    """

    def __init__(self, blocks: Mapping[tuple[str, str], Array], unstable_because: str = "") -> None:
        self._blocks, self._why = dict(blocks), unstable_because

    def __getitem__(self, pair: tuple[str, str] | str) -> Array:
        if self._why:
            raise Unstable(self._why)
        found = self._found(pair)
        if found is None:
            raise KeyError(f"{pair!r} among {', '.join(map(','.join, self._blocks))}")
        return found

    def __contains__(self, pair: object) -> bool:
        return self._found(pair) is not None

    def _found(self, pair: Any) -> Array | None:
        names = pair.replace(" ", "").split(",") if isinstance(pair, str) else pair
        if not isinstance(names, list | tuple) or len(names) not in (1, 2):
            return None
        a, b = names[0], names[-1]  # one name stands for itself twice
        return self._blocks[b, a].T if (b, a) in self._blocks and a != b else self._blocks.get((a, b))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._blocks)

    def __len__(self) -> int:
        return len(self._blocks)

    def __repr__(self) -> str:
        return f"<Blocks: {', '.join(map(','.join, self._blocks)) or 'none, ' + self._why}>"


@dataclass(frozen=True)
class NumericLaw:
    """A law in numbers. ``covariance`` maps pairs of states, such as ``("theta", "v")``, to matrices.

    Of a sampler whose updates repeat with a period, this is the law at the end of a period. KL
    divergences and the Wasserstein distance are between the law of the state that is meant to be the
    sample (theta, or a mean of iterates) and the posterior.
    """

    sampler: str
    time: str
    states: tuple[str, ...]
    stable: bool
    spectral_radius: float
    mean_square_radius: float | None = None  # of second moments, where noise depends on the state
    mean: Mapping[str, Array] = field(default_factory=dict)
    covariance: Blocks = field(default_factory=lambda: Blocks({}))
    kl_to_posterior: float | None = None
    kl_from_posterior: float | None = None
    wasserstein2: float | None = None
    posterior: Posterior | None = None  # and how wide the law of the sample is beside it
    average: observables.Average | None = None
    autocorrelation_time: Array | None = None  # of every coordinate of theta, in steps
    ess_per_pass: Array | None = None
    temperature: Mapping[str, float] = field(default_factory=dict)
    period: int | None = None
    at: int | None = None
    residual: float | None = None
    unstable_because: str = ""
    remedy: str = ""  # of an unstable law, where something is known to help

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.law/1; keys that do not apply are absent."""
        document: dict[str, Any] = {
            "schema": "sgtheory.law/1",
            "sampler": self.sampler,
            "time": self.time,
            "state": list(self.states),
            "stable": self.stable,
        }
        if not np.isnan(self.spectral_radius):
            document["spectral_radius"] = self.spectral_radius
            document["spectral_gap"] = 1 - self.spectral_radius
        if self.covariance:
            document["mean"] = {k: v.tolist() for k, v in self.mean.items()}
            document["covariance"] = {f"{a},{b}": v.tolist() for (a, b), v in self.covariance.items()}
        if self.posterior is not None:
            document["posterior"] = self.posterior.to_json()
        if self.average is not None:
            document["average"] = self.average.to_json()
        for key in ("autocorrelation_time", "ess_per_pass"):
            if getattr(self, key) is not None:
                document[key] = [x if np.isfinite(x) else None for x in getattr(self, key).tolist()]
        if self.temperature:
            document["temperature"] = dict(self.temperature)
        document |= {k: getattr(self, k) for k in _OPTIONAL if getattr(self, k) is not None}
        if self.unstable_because:
            document["limit"] = self.unstable_because
        if self.remedy:
            document["remedy"] = self.remedy
        return document

    def require_stable(self) -> NumericLaw:
        """The law itself, or the error that names the limit."""
        if not self.stable:
            raise Unstable(self.unstable_because, self.remedy)
        return self

    def __repr__(self) -> str:
        word = "stable" if self.stable else "unstable"
        return f"<NumericLaw of {self.sampler}, {self.time} time, {word}>"

    def __str__(self) -> str:
        import numpy as np

        def told(value: Any) -> str:
            return np.array2string(np.asarray(value), precision=6, threshold=64).replace("\n", " ")

        lines = [repr(self).strip("<>")]
        lines += [f"  mean of {name}: {told(value)}" for name, value in self.mean.items()]
        for (a, b), value in self.covariance.items():
            lines.append(f"  covariance of {a} and {b}: {told(value)}")
        if self.kl_to_posterior is not None:
            lines.append(f"  KL divergence to the posterior: {float(self.kl_to_posterior):.6g}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from sgtheory.notation.display import table

        rows: dict[str, Any] = {"stable": self.stable, "spectral radius": float(self.spectral_radius)}
        rows |= {f"mean of {name}": value for name, value in self.mean.items()}
        rows |= {f"covariance of {a} and {b}": v for (a, b), v in self.covariance.items()}
        if self.posterior is not None:
            rows["covariance of the posterior"] = self.posterior.covariance
            rows["variance over the posterior's"] = self.posterior.variance_ratio
        if self.kl_to_posterior is not None:
            rows["KL divergence to the posterior"] = float(self.kl_to_posterior)
        if self.ess_per_pass is not None:
            rows["effective samples a pass"] = self.ess_per_pass
        return table(f"The law of {self.sampler} in {self.time} time", rows)


def in_place(setting: Setting, values: Values, means: Mapping[str, Array]) -> dict[str, Array]:
    """Means of the sampler's states where they are, no longer measured from the mode."""
    moving = setting.sampler.positions
    return {s.name: means[s.name] + center(values) * (s in moving) for s in setting.sampler.state}


def split(stacked: Array, names: tuple[str, ...], d: int) -> dict[tuple[str, str], Array]:
    """The blocks of a stacked covariance, by pair of states in their order."""
    return {
        (a, b): stacked[i * d : (i + 1) * d, j * d : (j + 1) * d]
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j
    }
