"""One walk over an expression, in whatever arithmetic it is evaluated.

An arithmetic says what numbers, symbols, roots, exponentials and unspecified functions are. Nothing is
simplified or differentiated by SymPy on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any, Protocol, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.language import Gradient

LOSS = "L"  # the mean loss, whose slope the language calls gradient(x)


class NoRule(TypeError):
    """An expression that no arithmetic here evaluates."""


class Arithmetic(Protocol):
    """What a walk asks for."""

    def number(self, q: Fraction) -> Any:
        """A rational number."""

    def symbol(self, s: Any) -> Any:
        """The value of a symbol."""

    def function(self, name: str, orders: tuple[int, ...], arguments: Sequence[Any]) -> Any:
        """A derivative of an unspecified function at some arguments."""

    def root(self, x: Any) -> Any:
        """The square root."""

    def exp(self, x: Any) -> Any:
        """The exponential."""

    def log(self, x: Any) -> Any:
        """The logarithm."""

    def but(self, values: Mapping[Any, Any]) -> Self:
        """The same with more symbols."""


def walk(expr: Any, at: Arithmetic) -> Any:
    """The value of an expression."""
    if expr.is_Rational:
        return at.number(Fraction(int(expr.p), int(expr.q)))
    if isinstance(expr, sp.Symbol):
        return at.symbol(expr)
    if isinstance(expr, sp.Add):
        return reduce(add, (walk(a, at) for a in expr.args))
    if isinstance(expr, sp.Mul):
        return reduce(mul, (walk(a, at) for a in expr.args))
    if isinstance(expr, sp.exp):
        return at.exp(walk(expr.args[0], at))
    if isinstance(expr, sp.log):
        return at.log(walk(expr.args[0], at))
    if isinstance(expr, sp.Pow):
        return _power(expr, at)
    if isinstance(expr, Gradient):
        return at.function(LOSS, (1,), [walk(expr.args[0], at)])
    if isinstance(expr, AppliedUndef):
        name = expr.func.__name__
        return at.function(name, (0,) * len(expr.args), [walk(a, at) for a in expr.args])
    if isinstance(expr, sp.Derivative):
        return _derivative(expr, at)
    if isinstance(expr, sp.Subs):
        points = (walk(p, at) for p in expr.point)
        return walk(expr.expr, at.but(dict(zip(expr.variables, points, strict=True))))
    raise NoRule(f"no rule for {sp.srepr(expr)}")


def _power(expr: Any, at: Arithmetic) -> Any:
    base, power = expr.args
    if power.is_Integer:
        return walk(base, at) ** int(power)
    if (2 * power).is_Integer:
        return at.root(walk(base, at)) ** int(2 * power)
    if (4 * power).is_Integer:
        return at.root(at.root(walk(base, at))) ** int(4 * power)
    raise NoRule(f"no rule for the power {power}")


def _derivative(expr: Any, at: Arithmetic) -> Any:
    inner = expr.expr
    if not isinstance(inner, AppliedUndef):
        raise NoRule(f"no rule for the derivative {expr}")
    orders = orders_of(expr)
    return at.function(inner.func.__name__, orders, [walk(a, at) for a in inner.args])


def orders_of(expr: Any) -> tuple[int, ...]:
    """How often an unspecified function is differentiated by each of its arguments.

    >>> x, y = sp.symbols("x y")
    >>> orders_of(sp.Function("U")(x, y).diff(x, y, y))
    (1, 2)
    """
    if isinstance(expr, AppliedUndef):
        return (0,) * len(expr.args)
    counts = dict(expr.variable_count)
    return tuple(int(counts.get(a, 0)) for a in expr.expr.args)
