"""E-values by conjugate mixtures: evidence that may be looked at after every chain.

An e-process is a nonnegative martingale of mean 1 under the law, so it ever exceeds 1/a with probability
at most a, however often one looks (Ville). Here it is a likelihood ratio averaged over alternatives:
a normal prior on the shift of a mean whose variance is known, a gamma prior on the precision of a scale.
Turned around, the parameters whose e-value is below 1/a are a confidence sequence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from verification.statistics.quadratic import chi_square


@dataclass(frozen=True)
class MeanMixture:
    """Of a sum of n exact standard normals, against shifts of about ``effect`` standard deviations.

    >>> round(MeanMixture(0.1).log_e(0.0, 100), 4), MeanMixture(0.1).log_e(60.0, 100) > 4
    (-0.3466, True)
    """

    effect: float

    def log_e(self, total: float, chains: int) -> float:
        """The logarithm of the e-value."""
        spread = 1 + chains * self.effect**2
        return (total * self.effect) ** 2 / (2 * spread) - math.log(spread) / 2

    def reach(self, chains: int, level: float) -> float:
        """The confidence sequence for the shift is the mean of the sample, plus and minus this."""
        spread = 1 + chains * self.effect**2
        return math.sqrt(spread * (math.log(spread) - 2 * math.log(level))) / (self.effect * chains)

    def p_value(self, statistic: float, chains: int) -> float:
        """One over the e-value, for a standardised mean."""
        return math.exp(-max(self.log_e(statistic * math.sqrt(chains), chains), 0.0))

    def power(self, effect: float, chains: int, level: float) -> float:
        """The probability that the e-value is large when that many chains are there, exactly."""
        from scipy.special import ndtr

        bound, shift = self.reach(chains, level) * math.sqrt(chains), effect * math.sqrt(chains)
        return float(ndtr(shift - bound) + ndtr(-shift - bound))


@dataclass(frozen=True)
class ScaleMixture:
    """Of a sum of squares, chi-square with ``free`` degrees, against errors of about ``effect``.

    The precision has a gamma prior of mean 1 and standard deviation ``effect``.

    >>> mixture = ScaleMixture(0.1)
    >>> mixture.log_e(1000.0, 1000) < 0 < mixture.log_e(1250.0, 1000)
    True
    """

    effect: float

    @property
    def shape(self) -> float:
        """Of the prior; its rate is the same."""
        return self.effect**-2

    def log_e(self, squares: float, free: float) -> float:
        """The logarithm of the e-value."""
        a = self.shape
        constant = a * math.log(a) - math.lgamma(a) + math.lgamma(a + free / 2)
        return constant - (a + free / 2) * math.log(a + squares / 2) + squares / 2

    def bounds(self, free: float, level: float) -> tuple[float, float]:
        """Between these sums of squares the e-value is below 1/level."""
        return _bounds(self, free, level)

    def p_value(self, statistic: float, chains: int) -> float:
        """One over the e-value."""
        return math.exp(-max(self.log_e(statistic, chains), 0.0))

    def power(self, effect: float, chains: int, level: float) -> float:
        """The probability that the e-value is large when that many chains are there, exactly."""
        if effect <= -1:
            return 1.0
        (low, high), law = self.bounds(chains, level), chi_square(chains)
        below = law.tails(low / (1 + effect))[0] if low > 0 else 0.0
        return below + law.tails(high / (1 + effect))[1]


@lru_cache(maxsize=4096)
def _bounds(mixture: ScaleMixture, free: float, level: float) -> tuple[float, float]:
    from scipy.optimize import brentq

    def gap(squares: float) -> float:
        return mixture.log_e(squares, free) + math.log(level)

    high = free + math.sqrt(free) + 1
    while gap(high) < 0:
        high = free + 2 * (high - free)
    low = 0.0  # where even no squares at all are not evidence enough
    if gap(0.0) > 0:
        low = float(brentq(gap, 0.0, free))
    return low, float(brentq(gap, free, high))
