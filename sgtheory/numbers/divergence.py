"""How far a Gaussian law is from the posterior: KL divergences in both directions, Wasserstein-2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.notation.display import Shown
from sgtheory.onestep.full import Array, precision, symmetric_root
from sgtheory.problem import Values
from sgtheory.setting import Setting


@dataclass(repr=False, frozen=True)
class Posterior(Shown):
    """What the sample is meant for, and how wide the law is beside it."""

    covariance: Array
    variance_ratio: Array  # the law's variance over the posterior's, of each coordinate
    ratio: tuple[float, float]  # the same in the directions in which it is smallest and largest
    local: bool = False  # whether it is tempered, or held by a spring, as the sampler has it

    @classmethod
    def beside(cls, covariance: Array, inverse: Array, local: bool = False) -> Posterior:
        """The posterior of precision ``inverse`` beside a law's covariance.

        >>> found = Posterior.beside(np.diag([0.5, 3.0]), np.eye(2))
        >>> found.variance_ratio, found.ratio
        (array([0.5, 3. ]), (0.5, 3.0))
        """
        from scipy.linalg import eigh

        own = np.linalg.inv(inverse)
        least, *_, most = 2 * [*eigh(covariance, (own + own.T) / 2, eigvals_only=True)]
        ratios = np.diag(covariance) / np.diag(own)
        return cls((own + own.T) / 2, ratios, (max(float(least), 0.0), float(most)), local)

    @property
    def words(self) -> str:
        """What it is called."""
        return "posterior, tempered and localised" if self.local else "posterior"

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``law --json``."""
        return {
            "covariance": self.covariance.tolist(),
            "variance_ratio": self.variance_ratio.tolist(),
            "ratio": list(self.ratio),
        }


def of_law(setting: Setting, values: Values, covariance: Array, mean: Array) -> dict[str, Any]:
    """All distances between the law of theta and the posterior; ``mean`` is measured from the mode.

    A KL divergence is None where the law is degenerate, all are where N is not known.
    """
    if "N" not in values.scalars:
        return {}
    inverse = precision(setting, values)
    found: dict[str, Any] = {"wasserstein2": wasserstein2(covariance, mean, inverse)}
    found["posterior"] = Posterior.beside(covariance, inverse, setting.sampler.target != (1, 0))
    if is_definite(covariance):
        found["kl_to_posterior"] = kl_to(covariance, mean, inverse)
        found["kl_from_posterior"] = kl_from(covariance, mean, inverse)
    return found


def kl_to(covariance: Array, mean: Array, inverse: Array) -> float:
    """KL(law || posterior), the posterior's precision being ``inverse``.

    >>> 0 <= kl_to((1 + 1e-9) * np.eye(2), np.zeros(2), np.eye(2)) < 1e-17
    True
    """
    return _of_normal_laws(inverse @ covariance) + float(mean @ inverse @ mean) / 2


def kl_from(covariance: Array, mean: Array, inverse: Array) -> float:
    """KL(posterior || law)."""
    shift = float(mean @ np.linalg.solve(covariance, mean))
    return _of_normal_laws(np.linalg.solve(covariance, np.linalg.inv(inverse))) + shift / 2


def _of_normal_laws(ratio: Array) -> float:
    """KL between laws of one mean, from one covariance over the other.

    Where both are nearly the same, trace and determinant cancel to rounding; a sum of x - log(1 + x)
    over the eigenvalues 1 + x does not.
    """
    excess = ratio - np.eye(len(ratio))
    if np.linalg.norm(excess) < 0.5:
        x = np.linalg.eigvals(excess).real
        return float(np.sum(x - np.log1p(x))) / 2
    return float(np.trace(excess) - np.linalg.slogdet(ratio)[1]) / 2


def wasserstein2(covariance: Array, mean: Array, inverse: Array) -> float:
    """The Wasserstein-2 distance between law and posterior.

    >>> wasserstein2(4 * np.eye(2), np.zeros(2), np.eye(2)) == 2 ** 0.5
    True
    """
    posterior = np.linalg.inv(inverse)
    square = bures(covariance, (posterior + posterior.T) / 2) + mean @ mean
    return float(np.sqrt(max(float(square), 0.0)))


def bures(P: Array, Q: Array) -> float:
    """The squared Wasserstein-2 distance between normal laws of one mean, of covariances P and Q.

    >>> bures(np.diag([4.0, 1.0]), np.diag([1.0, 9.0]))
    5.0
    """
    root = symmetric_root(Q)
    middle = symmetric_root(root @ P @ root)
    return float(np.trace(P) + np.trace(Q) - 2 * np.trace(middle))


def is_definite(covariance: Array) -> bool:
    """Whether a covariance is positive definite beyond rounding."""
    variances = np.diag(covariance)
    if not np.all(variances > 0):
        return False
    try:
        factor = np.linalg.cholesky(covariance / np.sqrt(np.outer(variances, variances)))
    except np.linalg.LinAlgError:
        return False
    pivots: Any = np.diag(factor) ** 2
    return bool(np.all(pivots > len(variances) * 8 * np.finfo(float).eps))
