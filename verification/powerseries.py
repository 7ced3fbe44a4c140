"""Expressions with derivatives that are still to be taken, evaluated in power series about a point."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.taylor import Exactly, Taylor
from sgtheory.dynamics.walking import walk
from verification.refuter.seriesscript import FACTOR


class Density(sp.Function):
    """exp(-H)/Z, whatever the constant Z is.

    >>> x, b = sp.symbols("x b")
    >>> Density(b * x**2).diff(x)
    -2*b*x*rho(b*x**2)
    """

    is_positive = True

    def fdiff(self, argindex: int = 1) -> Any:
        """The derivative by H."""
        return -self

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return r"\rho" if exp is None else rf"\rho^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"rho({printer._print(self.args[0])})"


@dataclass(frozen=True)
class Series(Exactly):
    """Arithmetic for a walk in which derivatives are read off series."""

    states: tuple[Any, ...] = ()

    def constant(self, expr: Any) -> Any:
        """The value of an expression at the point."""
        found = self.of(expr)
        return found.constant if isinstance(found, Taylor) else found

    def of(self, expr: Any) -> Any:
        """The series of an expression."""
        skeleton, names = _split(expr)
        return walk(skeleton, self.but({name: self._taken(e) for e, name in names}))

    def _taken(self, e: Any) -> Any:
        if isinstance(e, Density):
            exponent = self.of(e.args[0])
            if not isinstance(exponent, Taylor):
                return FACTOR
            away = (exponent + exponent.constant * -1) * -1
            return self.exp(away) * FACTOR
        found = self.of(e.expr)
        for x, times in e.variable_count:
            for _ in range(int(times)):
                k = self.states.index(x)
                found = found.derivative(k) if isinstance(found, Taylor) else Fraction(0)
        return found


@cache
def _split(expr: Any) -> tuple[Any, tuple[tuple[Any, Any], ...]]:
    """An expression with names for what is still to be differentiated."""
    inner = {
        e
        for e in expr.atoms(sp.Derivative, Density)
        if isinstance(e, Density) or not isinstance(e.expr, AppliedUndef)
    }
    names = {e: sp.Dummy() for e in inner}
    skeleton = expr.xreplace(names)  # from the top, so that what is inside others goes with them
    return skeleton, tuple((e, n) for e, n in names.items() if n in skeleton.free_symbols)


def depth_of(expr: Any) -> int:
    """How many derivatives are taken one in another."""
    if isinstance(expr, sp.Derivative) and not isinstance(expr.expr, AppliedUndef):
        return depth_of(expr.expr) + sum(int(n) for _, n in expr.variable_count)
    return max((depth_of(a) for a in expr.args), default=0)
