"""The likelihood-ratio statistic of a whole covariance, and its exact law at every number of chains.

Let A be Wishart with ``dof`` degrees of freedom and scale I: sums of products of whitened states, about
the known mean (dof = chains) or about their own (dof = chains - 1). With S = A/dof, the statistic is

    L = dof (tr S - log det S - r),

zero where S = I. Wishart integrals give E exp(sL) in closed form, also where the true covariance is
another, so size and power are exact. The chi-square with r(r + 1)/2 degrees of freedom is the limit;
Bartlett's factor makes its mean right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.statistics.inversion import Cumulants, tails
from verification.statistics.quadratic import chi_square

Array = Any


@dataclass(frozen=True)
class LikelihoodRatio:
    """The law of L in r dimensions.

    >>> ratio = LikelihoodRatio(r=3, dof=20)
    >>> p = ratio.p_value(15.0)
    >>> abs(ratio.corrected(15.0) - p) < 0.02 * p < 0.3 * abs(ratio.uncorrected(15.0) - p)
    True
    """

    r: int
    dof: int

    @property
    def free(self) -> int:
        """The degrees of freedom of the chi-square in the limit."""
        return self.r * (self.r + 1) // 2

    def statistic(self, scatter: Array) -> float:
        """L of S = A/dof, infinite where S is singular."""
        # eigenvalues near 1 would lose digits in the difference of trace and logarithm
        away = np.linalg.eigvalsh(scatter) - 1
        return float(self.dof * (away - np.log1p(away)).sum()) if (away > -1).all() else math.inf

    def p_value(self, statistic: float) -> float:
        """P(L > statistic), exactly."""
        return self.tail(statistic, (1.0,) * self.r)

    def tail(self, statistic: float, scales: tuple[float, ...]) -> float:
        """P(L > statistic) where the whitened states have covariances with these eigenvalues."""
        if not math.isfinite(statistic):
            return 0.0
        if self.r == 1:
            return self._tail_of_one(statistic, scales[0])
        return tails(self.cumulants(scales), statistic)[1]

    def threshold(self, level: float) -> float:
        """What L exceeds with this probability."""
        from scipy.optimize import brentq

        guess = chi_square(self.free).above(level) / self.factor

        def gap(x: float) -> float:
            return math.log(max(self.p_value(x), 1e-300) / level)

        low = high = guess
        while gap(low) < 0:
            low /= 2
        while gap(high) > 0:
            high *= 2
        return float(brentq(gap, low, high, xtol=1e-10 * guess)) if low < high else guess

    @property
    def mean(self) -> float:
        """E L."""
        from scipy.special import digamma

        halves = (self.dof - np.arange(self.r)) / 2
        return float(self.dof * (math.log(self.dof / 2) - digamma(halves)).sum())

    @property
    def factor(self) -> float:
        """Bartlett's: times this, L has the mean of its chi-square."""
        return self.free / self.mean

    def corrected(self, statistic: float) -> float:
        """The p-value of the chi-square after Bartlett's correction."""
        return self._chi_square(statistic * self.factor)

    def uncorrected(self, statistic: float) -> float:
        """The p-value of the limit, which rejects too often where chains are few."""
        return self._chi_square(statistic)

    def _chi_square(self, statistic: float) -> float:
        return chi_square(self.free).tails(statistic)[1]

    def _tail_of_one(self, statistic: float, scale: float) -> float:
        """In one dimension L is a convex function of a chi-square: both its roots are known."""
        from scipy.optimize import brentq

        def height(z: float) -> float:  # of L/dof, as a function of log S
            return math.expm1(z) - z - statistic / self.dof

        if statistic <= 0:
            return 1.0
        far = 1 + statistic / self.dof
        low, high = (
            float(brentq(height, *side, xtol=1e-15)) for side in ((-far, 0), (0, 2 * math.sqrt(far)))
        )
        law = chi_square(self.dof, scale)
        return law.tails(self.dof * math.exp(low))[0] + law.tails(self.dof * math.exp(high))[1]

    def cumulants(self, scales: tuple[float, ...]) -> Cumulants:
        """log E exp(sL) where the whitened states have covariances with these eigenvalues."""
        from scipy.special import digamma, loggamma, polygamma

        n, j, c = float(self.dof), np.arange(self.r) / 2, np.array(scales)
        linear = n * (self.r * math.log(n / 2) - self.r - float(np.log(c).sum()))
        begin = float(loggamma(n / 2 - j).sum())

        def value(s: Array) -> Array:
            z = n * (0.5 - s)
            gammas = loggamma(z[..., None] - j).sum(axis=-1) - begin
            return s * linear + gammas - z * np.log(1 - 2 * s[..., None] * c).sum(axis=-1)

        def first(s: float) -> float:
            z, left = n * (0.5 - s), 1 - 2 * s * c
            shift = (np.log(left) + (1 - 2 * s) * c / left).sum()
            return float(linear + n * (shift - digamma(z - j).sum()))

        def second(s: float) -> float:
            z, ratio = n * (0.5 - s), c / (1 - 2 * s * c)
            return float(
                n * n * polygamma(1, z - j).sum() + n * ((2 - 4 * s) * ratio**2 - 4 * ratio).sum()
            )

        limit = min(0.5 - float(j[-1]) / n, 0.5 / float(c.max()))
        return Cumulants(value, first, second, limit)
