"""Laws of quadratic forms in normal variables: sums of scaled, possibly noncentral chi-squares.

SciPy's incomplete gamma function loses the lower tail where there are many degrees of freedom: at 10^8
of them and five standard deviations it is 22 % too small (SciPy 1.17). So far tails are found here by a
contour, which keeps their digits at any number, and SciPy's are used where they are right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from verification.statistics.inversion import Cumulants, tails

Array = Any

_FEW = 2_000  # degrees of freedom up to which SciPy's tails are right
_NEAR = 4.0  # and standard deviations, at any number of them


@dataclass(frozen=True)
class Quadratic:
    """The law of a sum of independent parts: scale times chi-square(free, noncentral)."""

    scale: tuple[float, ...]
    free: tuple[float, ...]
    noncentral: tuple[float, ...]

    def tails(self, x: float) -> tuple[float, float]:
        """P(X < x) and P(X > x).

        >>> below, above = chi_square(10**8).tails(10**8 - 5 * 2**0.5 * 10**4)
        >>> f"{below:.3e}"
        '2.850e-07'
        """
        if len(self.scale) == 1 and self.noncentral == (0.0,):
            free, inner = self.free[0], max(x / self.scale[0], 0.0)
            if free <= _FEW or abs(inner - free) < _NEAR * math.sqrt(2 * free):
                from scipy.special import chdtr, chdtrc

                return float(chdtr(free, inner)), float(chdtrc(free, inner))
        return tails(self.cumulants, x)

    @property
    def mean(self) -> float:
        """The mean."""
        return self.cumulants.first(0.0)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.cumulants.second(0.0))

    @property
    def cumulants(self) -> Cumulants:
        """log E exp(sX)."""
        c, k, d = (np.array(part, float) for part in (self.scale, self.free, self.noncentral))

        def value(s: Array) -> Array:
            left = 1 - 2 * s[..., None] * c
            return (-k / 2 * np.log(left) + d * c * s[..., None] / left).sum(axis=-1)

        def first(s: float) -> float:
            left = 1 - 2 * s * c
            return float((k * c / left + d * c / left**2).sum())

        def second(s: float) -> float:
            left = 1 - 2 * s * c
            return float((2 * k * c**2 / left**2 + 4 * d * c**2 / left**3).sum())

        return Cumulants(value, first, second, 0.5 / float(c.max()))

    def above(self, level: float) -> float:
        """What X exceeds with this probability.

        >>> round(chi_square(1).above(0.05), 4)
        3.8415
        """
        return self._quantile(level, 1)

    def below(self, level: float) -> float:
        """What X stays below with this probability."""
        return self._quantile(level, 0)

    def _quantile(self, level: float, side: int) -> float:
        from scipy.optimize import brentq

        def gap(x: float) -> float:
            return math.log(max(self.tails(x)[side], 1e-320) / level)

        def of(logarithm: float) -> float:
            return gap(math.exp(logarithm))

        sign, step = (1 if side else -1), self.deviation * math.sqrt(2 - 2 * math.log(level))
        inner = outer = self.mean
        while gap(inner) < 0:  # of a level above a half
            inner = inner - sign * step if inner - sign * step > 0 else inner / 2
        while gap(outer) > 0:
            outer = outer + sign * step if outer + sign * step > 0 else outer / 2
        if inner == outer:
            return inner
        return math.exp(float(brentq(of, math.log(inner), math.log(outer), xtol=1e-15)))


@lru_cache(maxsize=4096)
def chi_square(free: float, scale: float = 1.0, noncentral: float = 0.0) -> Quadratic:
    """One scaled chi-square.

    >>> chi_square(3, 2.0).mean
    6.0
    """
    return Quadratic((float(scale),), (float(free),), (float(noncentral),))
