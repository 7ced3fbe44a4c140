"""Arrays of balls, by FLINT (Arb): what is computed holds whatever the roundings were.

They are NumPy's arrays of such numbers, so that sums, products and exponentials are NumPy's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from operator import add, mul
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq

from sgtheory.datamodels.written import Share
from sgtheory.errors import UnusableInput

Array = Any
Number = Callable[[Any], Any]


def balls(x: Any, radius: Any = 0.0) -> Array:
    """Numbers as balls: floats are exact, fractions lie within.

    >>> third = balls(Fraction(1, 3))
    >>> bool(third.contains(fmpq(1, 3))), balls(0.5).is_exact()
    (True, True)
    """
    return np.frompyfunc(_ball, 2, 1)(x, radius)


def _ball(x: Any, radius: Any) -> Any:
    exactly = fmpq(x.numerator, x.denominator) if isinstance(x, int | Fraction) else x
    return arb(exactly, float(radius))


def middle(x: Array) -> Array:
    """A point within each, in floats."""
    return x if x.dtype == float else np.frompyfunc(lambda b: float(b.mid()), 1, 1)(x).astype(float)


def within(x: Array) -> Array:
    """How far any of its numbers is from that point, at most."""
    return np.nextafter(sizes(x - middle(x)), np.inf)


def sizes(x: Array) -> Array:
    """How large they are at most, in floats."""
    return np.nextafter(np.frompyfunc(lambda b: float(abs(b).upper()), 1, 1)(x).astype(float), np.inf)


def evaluate(expr: Any, env: Mapping[Any, Any], number: Number = balls) -> Any:
    """An expression of sums, products, whole powers, shares, and cases on given numbers.

    With ``float`` for ``number`` all is in floats, where what is given is.
    """
    if expr in env:
        return env[expr]
    if expr.is_Rational:
        return _constant(expr, number)
    for class_, rule in _RULES:
        if isinstance(expr, class_):
            return rule(expr, lambda part: evaluate(part, env, number))
    raise UnusableInput(
        "an expression with bounds", str(expr), "write it with sums, products and shares"
    )


@cache
def _constant(expr: Any, number: Number) -> Any:
    """A rational number of an expression, which is met in every example and at every step."""
    return number(Fraction(int(expr.p), int(expr.q)))


def _power(expr: Any, value_of: Number) -> Any:
    base, exponent = expr.args
    if not exponent.is_Integer:
        raise UnusableInput("whole powers", str(expr), "write it without roots")
    one = value_of(base)
    return reduce(mul, [one if exponent > 0 else 1 / one] * abs(int(exponent)))


def _share(expr: Any, value_of: Number) -> Any:
    first, *others = (value_of(a) for a in expr.args)
    return 1 / (1 + reduce(add, (np.exp(other - first) for other in others)))


def _cases(expr: Any, value_of: Number) -> Any:
    """Cases of the form number == constant, decided example by example."""
    *cases, (last, _) = expr.args
    chosen = value_of(last)
    for value, condition in reversed(cases):
        left = value_of(condition.lhs)
        if not isinstance(condition, sp.Equality) or not _is_exact(left):
            raise UnusableInput("cases on exact numbers", str(condition), "use labels")
        chosen = np.where(middle(left) == float(condition.rhs), value_of(value), chosen)
    return chosen


def _is_exact(x: Array) -> bool:
    return x.dtype != object or bool(np.all(np.frompyfunc(arb.is_exact, 1, 1)(x)))


_RULES: tuple[tuple[Any, Callable[[Any, Number], Any]], ...] = (
    (sp.Add, lambda expr, value_of: reduce(add, (value_of(a) for a in expr.args))),
    (sp.Mul, lambda expr, value_of: reduce(mul, (value_of(a) for a in expr.args))),
    (sp.Pow, _power),
    (Share, _share),
    (sp.exp, lambda expr, value_of: np.exp(value_of(expr.args[0]))),
    (sp.Piecewise, _cases),
)
