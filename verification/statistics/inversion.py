"""Tail probabilities from a moment generating function, by a contour through its saddle point.

For c > 0 where E exp(sX) is finite, P(X > x) is the integral of E exp(sX) exp(-sx)/s along the line
Re s = c, over 2 pi i; for c < 0 it is the same less one. The integrand is analytic off the real axis, so
the line may be bent. Through the saddle point on the real axis, along the way down, it falls like a
Gaussian, and the trapezoidal rule converges faster than any power: far tails keep all their digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any

_SPACING, _REACH = 0.1, 14.0  # in standard deviations of the integrand
_LEAST = 1e-9  # of the mean: below, logarithms of the integrand lose their digits
_FAR = -200.0  # the logarithm of a probability for which its bound is good enough


@dataclass(frozen=True)
class Cumulants:
    """log E exp(sX), anywhere off the cut from ``limit`` on, and its first two derivatives on the axis.

    ``first(0)`` is the mean. X has no upper bound, and is never below 0.
    """

    value: Callable[[Array], Array]
    first: Callable[[float], float]
    second: Callable[[float], float]
    limit: float


def tails(law: Cumulants, x: float) -> tuple[float, float]:
    """P(X < x) and P(X > x), the smaller of them to all its digits.

    >>> law = Cumulants(lambda s: -np.log(1 - s), lambda s: 1/(1 - s), lambda s: (1 - s)**-2, 1.0)
    >>> round(tails(law, 50.0)[1] * math.exp(50), 9)  # exponential
    1.0
    """
    if x <= _LEAST * law.first(0.0):
        return 0.0, 1.0
    above = x > law.first(0.0)
    if above and _height(law, law.limit / 2, x) < 4 * _FAR:
        return 1.0, 0.0
    saddle = _saddle(law, x, above)
    top = _height(law, saddle, x)  # E exp(s(X - x)), which the tail does not exceed
    if top < _FAR:
        return (1.0, math.exp(top)) if above else (math.exp(top), 1.0)
    width = (law.second(saddle) + saddle**-2) ** -0.5
    nudge = 1e-3 * min(width, law.limit - saddle)
    third = (law.second(saddle + nudge) - law.second(saddle - nudge)) / (2 * nudge)
    bend = max(third * width**3 / 6, 0.0)  # the way down leads to the right, around the cut
    v = np.arange(-_REACH, _REACH + _SPACING / 2, _SPACING)
    s = saddle + width * (1j * v + bend * v**2)
    along = width * (1j + 2 * bend * v)
    terms = np.exp(law.value(s) - s * x - top) / s * along
    # what lies beyond the saddle point, as seen from the mean
    beyond = min(abs(float((terms.sum() * _SPACING / (2j * math.pi)).real)) * math.exp(top), 1.0)
    return (1 - beyond, beyond) if above else (beyond, 1 - beyond)


def _height(law: Cumulants, s: float, x: float) -> float:
    return float(law.value(np.array([s]))[0]) - s * x


def _saddle(law: Cumulants, x: float, above: bool) -> float:
    """Where log E exp(sX) - sx - log|s| is least, on the side that is asked for: it is convex there."""
    from scipy.optimize import brentq

    def slope(s: float) -> float:
        return law.first(s) - x - 1 / s

    if above:
        low, high = law.limit / 2, law.limit / 2
        while slope(low) > 0:
            low /= 2
        gap = law.limit / 4
        while slope(high) < 0 and gap > 1e-15 * law.limit:
            high, gap = law.limit - gap, gap / 2
        return float(brentq(slope, low, high)) if low < high else low
    low = high = -1 / x
    while slope(low) > 0:
        low *= 2
    while slope(high) < 0:
        high /= 2
    return float(brentq(slope, low, high)) if low < high else low
