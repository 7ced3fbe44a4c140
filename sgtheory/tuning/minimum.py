"""Minima of a divergence in positive parameters: a scan, then Newton's method in their logarithms.

Gradients are exact; second derivatives are differences of them. Where a sampler is unstable the
divergence is infinite, so a step that leaves the stable region is halved until it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.onestep.full import Array

Value = Callable[[Array], float]  # of the logarithms; infinite where there is no law
Slope = Callable[[Array], Array]  # not numbers where there is no law

_POINTS = 65
WIDEST = 12.0  # a scan reaches e^12 in both directions
_SADDLES = 4  # that are left before one is told as it is
_ASIDE = 0.1  # how far from a saddle the way down begins
_SHIFT = 1e-5  # of a logarithm, for second derivatives: errors of order 1e-10


@dataclass(frozen=True)
class Minimum:
    """A minimum, with what certifies it: slopes, curvatures, and the points that are no better."""

    x: Array  # logarithms
    value: float
    slope: float  # the largest derivative with respect to a logarithm
    curvature: float  # the smallest eigenvalue of the second derivatives
    scanned: int  # points of the whole range, none of which is better
    edge: str = ""  # "small" or "large" where there is no minimum: the divergence falls to that end

    @property
    def certified(self) -> bool:
        """Whether slopes vanish to rounding, and the divergence curves up."""
        return not self.edge and self.slope < 1e-6 * max(self.curvature, 1e-6) and self.curvature > 0


def along(value: Value, start: float) -> Minimum:
    """The best point of a scan in one logarithm, or the end to which the values fall."""
    xs = start + np.linspace(-WIDEST, WIDEST, _POINTS)
    ys = np.array([value(np.array([x])) for x in xs])
    usable = np.flatnonzero(np.isfinite(ys))
    if not len(usable):
        return Minimum(np.array([start]), np.inf, np.nan, np.nan, _POINTS, "nowhere")
    best = int(usable[np.argmin(ys[usable])])
    edge = ""
    if best == usable[0] and np.all(np.diff(ys[usable[:4]]) > 0):
        edge = "small"
    if best < usable[-1] and ys[usable[-1]] - ys[best] < 1e-12 * (1 + abs(ys[best])):
        edge = "large"  # level from there on
    if best == usable[-1] and len(usable) > 1:
        edge, ys[best] = _upper_edge(value, xs[best], xs[best] + xs[1] - xs[0], ys[best])
    return Minimum(np.array([xs[best]]), float(ys[best]), np.nan, np.nan, _POINTS, edge)


def _upper_edge(value: Value, inside: float, outside: float, best: float) -> tuple[str, float]:
    """Whether values still fall just below the largest parameter that is admitted, and to what."""
    low = inside
    for _ in range(50):
        middle = (low + outside) / 2
        if np.isfinite(value(np.array([middle]))):
            low = middle
        else:
            outside = middle
    # where nothing beyond the best is admitted, the best is the edge itself
    if low - 1e-9 <= inside:
        return "large", best
    last = value(np.array([low - 1e-9]))
    return ("large", last) if last < best else ("", best)


def newton(value: Value, slope: Slope, start: Array, scanned: int = 0) -> Minimum:
    """Damped Newton steps from a point of the stable region.

    >>> found = newton(lambda x: float(x @ x), lambda x: 2 * x, np.array([1.0, -2.0]))
    >>> bool(abs(found.x).max() < 1e-9), found.certified
    (True, True)
    """
    x, now = np.asarray(start, float), value(start)
    gradient, curves = slope(x), second(slope, x)
    begin = x
    for _ in range(60):
        if np.abs(x - begin).max() > WIDEST + 1 or np.abs(gradient).max() < 1e-13:
            break
        if not np.isfinite(curves).all():
            break
        moved, after = _downhill(value, x, now, gradient, curves)
        steeper = slope(moved)
        # at the bottom values differ by rounding only; slopes still tell better from worse
        if not (after < now or np.abs(steeper).max() < np.abs(gradient).max() / 2):
            break
        x, now, gradient = moved, min(after, now), steeper
        curves = second(slope, x)
    lowest = float(np.linalg.eigvalsh(curves)[0]) if np.isfinite(curves).all() else np.nan
    return Minimum(x, float(now), float(np.abs(gradient).max()), lowest, scanned)


def below_saddles(value: Value, slope: Slope, found: Minimum) -> Minimum:
    """From a saddle on, down the lower of its sides to the minimum there; a minimum as it is.

    Where parameters are alike, a start that is alike too leads to a point between two minima:

    >>> value = lambda x: float((x[0] - x[1]) ** 4 - (x[0] - x[1]) ** 2 + x @ x / 4)
    >>> slope = lambda x: (4 * (x[0] - x[1]) ** 3 - 2 * (x[0] - x[1])) * np.array([1, -1]) + x / 2
    >>> saddle = newton(value, slope, np.array([1.0, 1.0]))
    >>> lower = below_saddles(value, slope, saddle)
    >>> saddle.certified, lower.certified, round(lower.value, 6)
    (False, True, -0.191406)
    """
    for _ in range(_SADDLES):
        if found.edge or not found.curvature < -1e-6 or found.slope > 1e-6:
            break
        along_it = np.linalg.eigh(second(slope, found.x))[1][:, 0]
        lower = min((found.x + sign * _ASIDE * along_it for sign in (1, -1)), key=value)
        if not value(lower) < found.value:
            break
        found = newton(value, slope, lower, found.scanned)
    return found


def _downhill(value: Value, x: Array, now: float, gradient: Array, curves: Array) -> Any:
    eigenvalues, basis = np.linalg.eigh(curves)
    floor = 1e-8 * max(float(np.abs(eigenvalues).max()), 1e-300)
    inner = basis.T @ gradient / np.maximum(np.abs(eigenvalues), floor)
    step = -basis @ inner
    step = step / max(1.0, float(np.abs(step).max()))
    whole = x + step
    for _ in range(40):
        after = value(x + step)
        if after < now:
            return x + step, after
        step = step / 2
    return (whole, now) if np.isfinite(value(whole)) else (x, now)


def second(slope: Slope, x: Array) -> Array:
    """Second derivatives, as differences of exact first ones; nearer ones close to where no law is."""
    columns = []
    for e in np.eye(len(x)):
        for shift in (_SHIFT, _SHIFT / 100, _SHIFT / 10_000):
            column = (slope(x + shift * e) - slope(x - shift * e)) / (2 * shift)
            if np.isfinite(column).all():
                break
        columns.append(column)
    found = np.array(columns)
    return np.asarray((found + found.T) / 2)
