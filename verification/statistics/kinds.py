"""Kinds of exact test: the law of each statistic where all is well, and where something is off.

An ``effect`` is in the test's own unit: of means, a shift in standard deviations (of the whole mean,
its Mahalanobis length); of variances and covariances, a relative error of the variance. Where states
have m coordinates of rank r, statistics are sums over chains, so that every law here is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from verification.statistics.likelihood import LikelihoodRatio
from verification.statistics.quadratic import chi_square


class Kind(Protocol):
    """What planning asks of a test."""

    def power(self, effect: float, chains: int, level: float) -> float:
        """The probability that an effect of this size is found at this false-alarm probability."""
        ...

    def __hash__(self) -> int:
        """What was planned of equal tests is remembered."""
        ...


@dataclass(frozen=True)
class Mean:
    """A standardised mean, exactly N(0, 1).

    >>> round(Mean().p_value(1.96, 100), 3), round(Mean().power(0.36, 100, 0.05), 3)
    (0.05, 0.95)
    """

    def p_value(self, statistic: float, chains: int) -> float:
        """Two-sided."""
        return math.erfc(abs(statistic) / math.sqrt(2))

    def power(self, effect: float, chains: int, level: float) -> float:
        """Of a shift by so many standard deviations."""
        from scipy.special import ndtr, ndtri

        bound, shift = -ndtri(level / 2), effect * math.sqrt(chains)
        return float(ndtr(shift - bound) + ndtr(-shift - bound))


@dataclass(frozen=True)
class Scale:
    """A sum of squares of exact standard normals, ``rank`` to a chain: exactly chi-square, two-sided.

    With rank 1 it is a variance; with the whole rank, the common scale of all that varies.

    >>> round(Scale().power(0.0, 1000, 0.01), 12), Scale().power(0.2, 10_000, 1e-9) > 0.99
    (0.01, True)
    """

    rank: int = 1

    def p_value(self, statistic: float, chains: int) -> float:
        """Twice the smaller tail."""
        return min(2 * min(chi_square(self.rank * chains).tails(statistic)), 1.0)

    def power(self, effect: float, chains: int, level: float) -> float:
        """Of a relative error of the variance."""
        if effect <= -1:
            return 1.0
        low, high = self.bounds(chains, level)
        found = chi_square(self.rank * chains)
        return found.tails(low / (1 + effect))[0] + found.tails(high / (1 + effect))[1]

    def bounds(self, chains: int, level: float) -> tuple[float, float]:
        """Between these the statistic lies with probability 1 - level."""
        return _bounds(self.rank * chains, level)


@dataclass(frozen=True)
class WholeMean:
    """The squared length of the whitened mean times the number of chains: exactly chi-square.

    >>> round(WholeMean(4).power(0.5, 100, 0.01), 3)
    0.956
    """

    rank: int

    def p_value(self, statistic: float, chains: int) -> float:
        """Of a mean that is farther away."""
        return chi_square(self.rank).tails(statistic)[1]

    def power(self, effect: float, chains: int, level: float) -> float:
        """Of a shift, whitened, of this length: a noncentral chi-square."""
        bound = chi_square(self.rank).above(level)
        if chains * effect**2 < 1e-12:
            return level
        return chi_square(self.rank, 1.0, chains * effect**2).tails(bound)[1]


@dataclass(frozen=True)
class WholeCovariance:
    """The likelihood ratio of the whole covariance, about the known mean.

    >>> kind = WholeCovariance(3)
    >>> round(kind.power(0.1, 3_000, 1e-3), 3), round(kind.power(0.1, 1_000, 1e-3), 3)
    (0.984, 0.348)
    """

    rank: int

    def p_value(self, statistic: float, chains: int) -> float:
        """Exactly, not by the chi-square in the limit."""
        return LikelihoodRatio(self.rank, chains).p_value(statistic)

    def power(self, effect: float, chains: int, level: float) -> float:
        """Of a relative error of all variances alike."""
        return self.power_at((1 + effect,) * self.rank, chains, level)

    def power_at(self, scales: tuple[float, ...], chains: int, level: float) -> float:
        """Where the whitened states have a covariance with these eigenvalues."""
        if min(scales) <= 0 or chains < self.rank:
            return 1.0 if chains >= self.rank else 0.0
        bound = _threshold(self.rank, chains, level)
        return LikelihoodRatio(self.rank, chains).tail(bound, scales)


@lru_cache(maxsize=4096)
def _bounds(free: int, level: float) -> tuple[float, float]:
    law = chi_square(free)
    return law.below(level / 2), law.above(level / 2)


@lru_cache(maxsize=4096)
def _threshold(rank: int, chains: int, level: float) -> float:
    return LikelihoodRatio(rank, chains).threshold(level)
