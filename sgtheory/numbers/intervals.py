"""Arrays of intervals, rounded outwards: what is computed holds whatever the roundings were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.datamodels.written import Share
from sgtheory.errors import UnusableInput

Array = Any

_ULPS = (
    8  # by how many units in the last place an exponential may be off: libraries promise fewer than 4
)


def _down(x: Array) -> Array:
    return np.nextafter(x, -np.inf)


def _up(x: Array) -> Array:
    return np.nextafter(x, np.inf)


@dataclass(frozen=True, eq=False)
class Interval:
    """An array of intervals."""

    lo: Array
    hi: Array

    def __getitem__(self, place: Any) -> Interval:
        return Interval(self.lo[place], self.hi[place])

    def __add__(self, other: Any) -> Interval:
        other = enclosing(other)
        return Interval(_down(self.lo + other.lo), _up(self.hi + other.hi))

    def __sub__(self, other: Any) -> Interval:
        other = enclosing(other)
        return Interval(_down(self.lo - other.hi), _up(self.hi - other.lo))

    def __mul__(self, other: Any) -> Interval:
        """The product.

        >>> both = enclosing(np.array([0.1])) * 3.0
        >>> bool(both.lo[0] < Fraction(0.1) * 3 < both.hi[0])
        True
        """
        other = enclosing(other)
        ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(_down(np.minimum.reduce(ends)), _up(np.maximum.reduce(ends)))

    def __matmul__(self, other: Interval) -> Interval:
        column = other.lo.ndim == 1
        right = Interval(other.lo[:, None], other.hi[:, None]) if column else other
        left = Interval(self.lo[:, :, None], self.hi[:, :, None])
        total = (left * Interval(right.lo[None], right.hi[None])).sum(axis=1)
        return Interval(total.lo[:, 0], total.hi[:, 0]) if column else total

    def inverse(self) -> Interval:
        """1 over it, where it is positive."""
        if not (self.lo > 0).all():
            raise UnusableInput("a positive denominator", "one that may be zero", "take a smaller box")
        return Interval(_down(1 / self.hi), _up(1 / self.lo))

    def exp(self) -> Interval:
        """The exponential."""
        with np.errstate(over="ignore"):
            lo, hi = np.exp(self.lo), np.exp(self.hi)
        for _ in range(_ULPS):
            lo, hi = np.maximum(_down(lo), 0.0), _up(hi)
        return Interval(np.minimum(lo, np.finfo(float).max), hi)

    def sum(self, axis: int = 0) -> Interval:
        """The sum along an axis, in any order: n terms are off by less than n eps times their sizes."""
        off = 2 * self.lo.shape[axis] * np.finfo(float).eps
        low, high = (x.sum(axis=axis) for x in (self.lo, self.hi))
        below, above = (off * abs(x).sum(axis=axis) for x in (self.lo, self.hi))
        return Interval(_down(low - below), _up(high + above))

    def mean(self) -> Interval:
        """The mean over the first axis."""
        return self.sum() * enclosing(Fraction(1, len(self.lo)))

    def spread(self, count: int) -> Interval:
        """One entry for each of so many examples."""
        return Interval(np.broadcast_to(self.lo, (count,)), np.broadcast_to(self.hi, (count,)))

    @property
    def middle(self) -> Array:
        """A point within."""
        return self.lo / 2 + self.hi / 2

    @property
    def radius(self) -> Array:
        """How far the ends are from it, at most."""
        return _up(np.maximum(self.hi - self.middle, self.middle - self.lo))

    @staticmethod
    def stack(parts: Sequence[Interval]) -> Interval:
        """Intervals of one shape as one array."""
        return Interval(np.stack([p.lo for p in parts]), np.stack([p.hi for p in parts]))


def enclosing(x: Any) -> Interval:
    """Numbers as intervals: floats are exact, fractions lie between two floats.

    >>> third = enclosing(Fraction(1, 3))
    >>> bool(third.lo < Fraction(1, 3) < third.hi), bool(enclosing(0.5).lo == enclosing(0.5).hi)
    (True, True)
    """
    if isinstance(x, Interval):
        return x
    near = np.asarray(x, float)
    if np.asarray(x).dtype != object and not isinstance(x, Fraction):
        return Interval(near, near)
    off = np.vectorize(lambda a, b: Fraction(a) != b, otypes=[bool])(near, np.asarray(x, object))
    return Interval(np.where(off, _down(near), near), np.where(off, _up(near), near))


def evaluate(expr: Any, env: Mapping[Any, Any]) -> Interval:
    """An expression of sums, products, whole powers, shares, and cases on given numbers."""
    if expr in env:
        return enclosing(env[expr])
    if expr.is_Rational:
        return _constant(expr)
    for class_, rule in _RULES:
        if isinstance(expr, class_):
            return rule(expr, env)
    raise UnusableInput(
        "an expression with bounds", str(expr), "write it with sums, products and shares"
    )


@cache
def _constant(number: Any) -> Interval:
    """A rational number of an expression, which is met in every example and at every step."""
    return enclosing(Fraction(int(number.p), int(number.q)))


def _fold(op: Callable[[Interval, Interval], Interval]) -> Callable[[Any, Any], Interval]:
    def rule(expr: Any, env: Any) -> Interval:
        first, *others = (evaluate(a, env) for a in expr.args)
        for other in others:
            first = op(first, other)
        return first

    return rule


def _power(expr: Any, env: Any) -> Interval:
    base, exponent = expr.args
    if not exponent.is_Integer:
        raise UnusableInput("whole powers", str(expr), "write it without roots")
    one = evaluate(base, env)
    one = one.inverse() if exponent < 0 else one
    total = one
    for _ in range(abs(int(exponent)) - 1):
        total = total * one
    if exponent % 2 == 0:
        total = Interval(np.maximum(total.lo, 0.0), total.hi)
    return total


def _share(expr: Any, env: Any) -> Interval:
    first, *others = (evaluate(a, env) for a in expr.args)
    total = enclosing(1.0)
    for other in others:
        total = total + (other - first).exp()
    return total.inverse()


def _cases(expr: Any, env: Any) -> Interval:
    """Cases of the form number == constant, decided example by example."""
    *cases, (last, _) = expr.args
    chosen = evaluate(last, env)
    for value, condition in reversed(cases):
        left = evaluate(condition.lhs, env)
        here = left.lo == float(condition.rhs)
        if not isinstance(condition, sp.Equality) or (left.lo != left.hi).any():
            raise UnusableInput("cases on exact numbers", str(condition), "use labels")
        found = evaluate(value, env)
        chosen = Interval(np.where(here, found.lo, chosen.lo), np.where(here, found.hi, chosen.hi))
    return chosen


_RULES: tuple[tuple[Any, Callable[[Any, Any], Interval]], ...] = (
    (sp.Add, _fold(lambda a, b: a + b)),
    (sp.Mul, _fold(lambda a, b: a * b)),
    (sp.Pow, _power),
    (Share, _share),
    (sp.exp, lambda expr, env: evaluate(expr.args[0], env).exp()),
    (sp.Piecewise, _cases),
)
