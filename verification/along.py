"""A quantity along a sequence on which one letter vanishes or grows, at an exact place.

The exponent at a place is found in two ways. Exactly: a rational function of x, evaluated at a large
prime q, is divisible by q as often as it is by x (its coefficients are small against q), so its
valuation is its order. Numerically: values at x = 16^-k, exact, and the slope that their ratios tend to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp

from sgtheory.fields import PRIME
from sgtheory.setting import Setting
from verification.asymptotics import Term, Undecided, leading
from verification.quantities import FUNCTIONALS, Amount, amounts, is_matrix, number, numbers_at
from verification.refuter.places import Place

BASE = 16  # whose square root, and that, are whole numbers: x may stand under roots
STEPS = (2, 3, 4, 5, 6)  # values are taken at 16^-2, ..., 16^-6
_LOG_TERMS = 12  # of the logarithm's series
_CLEAR = 0.125  # exponents of formulas in powers and square roots are further apart


@dataclass(frozen=True)
class Path:
    """A letter that tends to 0 or to infinity, and letters that are set as formulas of the others."""

    variable: Any
    limit: str = "0"
    where: tuple[tuple[Any, Any], ...] = ()
    scale: Fraction = Fraction(1)  # 1/2 where the square root of twice the letter is taken

    @property
    def sign(self) -> int:
        """The power of the small number that the letter is."""
        return -1 if self.limit == "oo" else 1

    def at(self, place: Place, small: Fraction) -> Place:
        """The place with the letter where it is, small or one over small."""
        moved = place.but(**{self.variable.name: self.scale * small**self.sign})
        for letter, value in self.where:
            numbers = numbers_at((value,), None, moved, "discrete")
            assert numbers is not None
            moved = moved.but(**{letter.name: number(value, numbers)})
        return moved

    @property
    def set_here(self) -> tuple[str, ...]:
        """The names of the letters that a place need not have."""
        return (self.variable.name, *(letter.name for letter, _ in self.where))

    def points(self, steps: tuple[int, ...]) -> str:
        """The values at some steps, such as ``16^-1, 16^-2``."""
        half = "" if self.scale == 1 else f"{self.scale} "
        return ", ".join(f"{half}{BASE}^{-k * self.sign}" for k in steps)

    def words(self) -> str:
        """Such as ``eps -> 0``."""
        return f"{self.variable} -> {'infinity' if self.limit == 'oo' else self.limit}"


def in_scalars(expr: Any) -> bool:
    """Whether a quantity has no matrix in it."""
    return not is_matrix(expr) and not sp.sympify(expr).has(*FUNCTIONALS)


def plain_at(expr: Any, place: Place, path: Path) -> Any:
    """A formula in scalars with all letters but the path's set as at a place."""
    expr = sp.sympify(expr)
    for letter, value in path.where:
        expr = expr.subs(letter, value)
    known = {n: sp.Rational(v.numerator, v.denominator) for n, v in place.scalars.items()}
    return expr.subs(
        {
            s: known.get(s.name, sp.Integer(place.D))
            for s in expr.free_symbols
            if s.name != path.variable.name
        }
    )


def order_at(expr: Any, setting: Setting | None, place: Place, path: Path, time: str) -> Term | None:
    """The exponent at an exact place (its coefficient is not worked out); None where there is no law.

    >>> x, a = sp.symbols("x a", positive=True)
    >>> order_at(a * x**2 + x**3, None, Place({}, {"a": Fraction(2)}), Path(x), "discrete").power
    Fraction(2, 1)
    """
    found = orders_at((expr,), setting, place, path, time)
    return found[0] if found else None


def orders_at(
    exprs: tuple[Any, ...], setting: Setting | None, place: Place, path: Path, time: str
) -> tuple[Term, ...] | None:
    """The exponents of several quantities at one place."""
    if all(in_scalars(e) for e in exprs):
        x = sp.Symbol(path.variable.name, positive=True)
        inside = [plain_at(e, place, path).subs(path.variable, x) for e in exprs]
        try:
            return tuple(leading(e, x, path.limit) for e in inside)
        except (Undecided, ZeroDivisionError, NotImplementedError):
            return None
    near = numbers_at(exprs, setting, path.at(place, Fraction(1, BASE ** (2 * STEPS[-1]))), time)
    if near is None or any(b <= 0 for e in exprs for a in amounts(e, near) for _, b in a.logs):
        return None  # no law near the limit, or a degenerate one
    numbers = numbers_at(exprs, setting, path.at(place, Fraction(PRIME) ** 2), time, formal=True)
    assert numbers is not None
    found = []
    for e in exprs:
        power, logs = min((_order(a) for a in amounts(e, numbers)), key=lambda t: (t[0], -t[1]))
        found.append(Term(path.sign * power, None, logs))
    return tuple(found)


def valuation(x: Fraction) -> float | Fraction:
    """How often the prime divides a number; the prime stands for a square root, so half of that."""
    if x == 0:
        return math.inf
    found, top, bottom = 0, x.numerator, x.denominator
    while top % PRIME == 0:
        top, found = top // PRIME, found + 1
    while bottom % PRIME == 0:
        bottom, found = bottom // PRIME, found - 1
    return Fraction(found, 2)


def _order(a: Amount) -> tuple[Any, int]:
    """The order of a rational function plus logarithms of rational functions, and of log(1/x) in it."""
    logs = [(c, b) for c, b in a.logs if c != 0]
    if not logs:
        return valuation(a.rational), 0
    if len(logs) > 1 or valuation(logs[0][0]) != 0:
        raise TypeError("more than one logarithm, or one whose factor depends on the letter")
    ((c, b),) = logs
    low = valuation(a.rational)
    if low < 0:
        return low, 0
    if valuation(b) != 0:
        return Fraction(0), 1
    u = b - 1
    if valuation(u) <= 0:  # a constant log of a number other than 1 cancels against nothing rational
        return Fraction(0), 0
    series = sum((Fraction((-1) ** (k + 1), k) * u**k for k in range(1, _LOG_TERMS + 1)), Fraction(0))
    known = valuation(a.rational + c * series)
    if known >= (_LOG_TERMS + 1) * valuation(u):
        raise TypeError("what is left is beyond the precision of the logarithm")
    return known, 0


def values_along(
    expr: Any,
    setting: Setting | None,
    place: Place,
    path: Path,
    time: str,
    steps: tuple[int, ...] = STEPS,
) -> tuple[Any, ...] | None:
    """The quantity at 16^-k (or 16^k), exact where it is rational; of a matrix the norm's square."""
    found = []
    for k in steps:
        if in_scalars(expr):
            x = sp.Rational(1, BASE**k) ** path.sign
            value = plain_at(expr, place, path).subs(path.variable, x)
            if value.has(sp.zoo, sp.nan):
                raise ZeroDivisionError("the sequence meets a pole")
            found.append(value)
            continue
        numbers = numbers_at((expr,), setting, path.at(place, Fraction(1, BASE**k)), time)
        if numbers is None:
            return None
        entries = amounts(expr, numbers)
        found.append(sum(a.rational**2 for a in entries) if is_matrix(expr) else entries[0])
    return tuple(found)


@dataclass(frozen=True)
class Slope:
    """An exponent read off values along a sequence, and how far it can be from the limit."""

    value: float
    error: float

    @property
    def settled(self) -> bool:
        """Whether it tells neighbouring exponents apart."""
        return self.error < _CLEAR / 2


def slope_of(values: tuple[Any, ...], path: Path, squared: bool = False) -> Slope | None:
    """The limit of the slopes, extrapolated (Aitken); None where all values vanish.

    Slopes of a function with an expansion in powers tend to their limit like a geometric sequence, so
    the sum of what is to come is bounded by the last difference; the ratio seen is doubled.
    """
    import mpmath

    with mpmath.workdps(90):
        numbers = [abs(_decimal(v)) for v in values]
        if any(v == 0 for v in numbers):
            return None
        pairs = pairwise(numbers)
        slopes = [mpmath.log(a / b, BASE) / (2 if squared else 1) for a, b in pairs]
        last, before = slopes[-1] - slopes[-2], slopes[-2] - slopes[-3]
        if abs(last) < mpmath.mpf("1e-40"):
            return Slope(float(slopes[-1]) * path.sign, 1e-30)
        ratio = abs(last / before) if before else mpmath.mpf(1)
        if ratio >= 0.45:
            return Slope(float(slopes[-1]) * path.sign, math.inf)
        limit = slopes[-1] + last * ratio / (1 - ratio) * (1 if last * before > 0 else -1)
        error = abs(last) * 2 * ratio / (1 - 2 * ratio)
        return Slope(float(limit) * path.sign, float(error))


def _decimal(value: Any) -> Any:
    import mpmath

    if isinstance(value, Amount):
        return value.decimal()
    if isinstance(value, Fraction | int):
        value = Fraction(value)
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpf(str(sp.N(value, 60, maxn=600)))
