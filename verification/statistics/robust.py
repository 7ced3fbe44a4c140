"""Tests for laws that are not Gaussian: robust errors, and whether the normal approximation will do.

The mean of independent terms over its own standard error is nearly Student's t. How nearly, at the
threshold that is used, the next terms of its expansion say. For terms of skewness g and kurtosis 3 + k,

    P(|T| > x) = P(|t| > x) - (2/n) x phi(x) (k (x^2 - 3)/12 - g^2 (x^4 + 2 x^2 - 3)/18) + ...

and each tail alone is off by g (2 x^2 + 1) phi(x)/(6 sqrt(n)). Far thresholds ask for many chains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from verification.statistics.multiplicity import holm
from verification.statistics.terms import Terms

_SHARE = 0.1  # of the false-alarm probability that the approximation may be off by
_TAIL = 0.5  # of its own that one tail may be off by: beyond, the expansion itself is in doubt
_SURE = 3.0  # standard errors that are added to a measured skewness or kurtosis


@dataclass(frozen=True)
class RobustTest:
    """A test by a measured standard error. ``reliable`` is None where the shape is not known."""

    name: str
    statistic: float
    p_value: float
    deviation: float
    standard_error: float
    reliable: bool | None
    terms_needed: int | None  # so that the approximation is good enough at this threshold


@dataclass(frozen=True)
class RobustComparison:
    """All tests of one ensemble, and whether they may be believed."""

    tests: tuple[RobustTest, ...]
    false_alarm: float

    @property
    def rejected(self) -> tuple[str, ...]:
        """By Holm's procedure."""
        adjusted = holm([t.p_value for t in self.tests])
        return tuple(t.name for t, p in zip(self.tests, adjusted, strict=True) if p < self.false_alarm)

    @property
    def reliable(self) -> bool:
        """Whether every normal approximation is known to be good enough."""
        return all(t.reliable for t in self.tests)

    @property
    def terms_needed(self) -> int | None:
        """How many terms would make all of them so; None where that is not known."""
        found = [t.terms_needed for t in self.tests]
        return None if None in found else max(n for n in found if n is not None)

    @property
    def words(self) -> str:
        """What to do about it."""
        if self.reliable:
            return "the normal approximation is good enough at this false-alarm probability"
        if self.terms_needed is None:
            return "the shape of some terms is not known: give batches"
        return f"the normal approximation is not good enough: about {self.terms_needed:,} terms would be"


def compare_robustly(terms: Terms, false_alarm: float) -> RobustComparison:
    """Test means of terms against what they should be, without assuming any law of a term.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).choice([-1.0, 1.0], size=(200, 100, 1))
    >>> terms = Terms.of_batches(x.mean(axis=1), x.var(axis=1)[:, :, None], np.zeros(1), np.eye(1), "x")
    >>> found = compare_robustly(terms, 1e-6)
    >>> found.rejected, found.words
    ((), 'the normal approximation is not good enough: about 6,574 terms would be')
    """
    moving = [k for k in range(len(terms.names)) if terms.variance[k] > 0]
    level = false_alarm / max(len(moving), 1)
    return RobustComparison(tuple(_one(terms, k, level) for k in moving), false_alarm)


def _one(terms: Terms, k: int, level: float) -> RobustTest:
    from scipy.special import stdtr

    error = math.sqrt(float(terms.variance[k]) / terms.count)
    deviation = float(terms.mean[k] - terms.exact[k])
    t = deviation / error
    g, kurtosis = float(terms.skewness[k]), float(terms.kurtosis[k])
    needed = None
    if math.isfinite(g) and math.isfinite(kurtosis):
        g = abs(g) + _SURE * math.sqrt(6 / terms.count)
        kurtosis = abs(kurtosis) + _SURE * math.sqrt(24 / terms.count)
        needed = terms_needed(g, kurtosis, level)
    p = float(2 * stdtr(terms.count - 1, -abs(t)))
    reliable = None if needed is None else terms.count >= needed
    return RobustTest(terms.names[k], t, p, deviation, error, reliable, needed)


def two_sided_error(skewness: float, kurtosis: float, count: int, level: float) -> float:
    """By which share of itself P(|T| > x) differs from the level of Student's x, to order 1/count.

    >>> round(two_sided_error(0.0, -2.0, 50, 1e-3), 3)
    0.305
    """
    x = _normal(level)
    bracket = kurtosis * (x**2 - 3) / 12 - skewness**2 * (x**4 + 2 * x**2 - 3) / 18
    return -2 / count * x * _phi(x) * bracket / level


def terms_needed(skewness: float, kurtosis: float, level: float) -> int:
    """How many terms make the approximation good enough, for shapes that are at most these.

    >>> terms_needed(1.0, 2.0, 1e-6) > terms_needed(1.0, 2.0, 0.01) > terms_needed(0.1, 0.1, 0.01)
    True
    """
    x = _normal(level)
    parts = abs(kurtosis * (x**2 - 3)) / 12 + skewness**2 * (x**4 + 2 * x**2 - 3) / 18
    both = 2 * x * _phi(x) * abs(parts) / (_SHARE * level)
    one = skewness * (2 * x**2 + 1) * _phi(x) / (6 * _TAIL * level / 2)
    return math.ceil(max(both, one**2, 2))


def _normal(level: float) -> float:
    from scipy.special import ndtri

    return -float(ndtri(level / 2))


def _phi(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@dataclass(frozen=True)
class Robust:
    """Planning: effects are relative, ``deviation`` is that of one term over its mean; approximate.

    A variance of excess kurtosis k has deviation sqrt(k + 2).

    >>> from verification.statistics.planning import chains_for
    >>> chains_for(0.01, 1e-6, 0.99, Robust(2**0.5))  # Gaussian
    1041987
    """

    deviation: float

    def power(self, effect: float, chains: int, level: float) -> float:
        """By the normal approximation."""
        from verification.statistics.kinds import Mean

        return Mean().power(effect / self.deviation, chains, level)
