"""Pair formulas as series in a parameter."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.notation.printing import tidy


def written_out(expr: Any, where: Any, step: Any, order: int) -> Any:
    """A formula with its abbreviations as Taylor polynomials in the step, long enough for an order.

    A denominator may vanish at step zero, as 1 - c does: a few more terms than the order are kept.
    """
    short = {c: meaning for c, meaning in where if expr.has(c)}
    if not short:
        return expr
    polynomials = {c: sp.series(m, step, 0, order + 7).removeO() for c, m in short.items()}
    return sp.cancel(expr.subs(polynomials))


def series(expr: Any, step: str, order: int) -> Any:
    """The Taylor polynomial of a pair formula in a parameter, each coefficient tidy."""
    symbol = next((s for s in expr.free_symbols if s.name == step), None)
    if symbol is None:
        names = ", ".join(sorted(s.name for s in expr.free_symbols if "_" not in s.name))
        raise UnusableInput(f"a parameter of the formula ({names})", repr(step), "choose one")
    terms = []
    for term in sp.Add.make_args(expr):
        lowest = _quotient(term, symbol)[2]
        found = [_coefficient(term, symbol, k) for k in range(order + lowest + 1)]
        terms += [tidy(c) * symbol ** (k - lowest) for k, c in enumerate(found) if c != 0]
    return sp.Add(*terms)


@cache
def _quotient(term: Any, symbol: Any) -> tuple[list[Any], list[Any], int]:
    """Coefficients of numerator and denominator, lowest first, and the first that the latter has."""
    parts = sp.fraction(sp.cancel(term))
    top, bottom = (sp.Poly(p, symbol).all_coeffs()[::-1] for p in parts)
    return top, bottom, next(k for k, c in enumerate(bottom) if c != 0)


@cache
def _coefficient(term: Any, symbol: Any, k: int) -> Any:
    """The coefficient k places after the first, by long division: those before it are kept."""
    top, bottom, lowest = _quotient(term, symbol)
    field = _in_a_field(term, symbol)[0]
    if field is None:
        known = sum(
            bottom[lowest + m] * _coefficient(term, symbol, k - m)
            for m in range(1, min(k, len(bottom) - lowest - 1) + 1)
        )
        return sp.cancel(((top[k] if k < len(top) else 0) - known) / bottom[lowest])
    return field.to_sympy(_quotients(term, symbol, k)[k])


@cache
def _quotients(term: Any, symbol: Any, k: int) -> tuple[Any, ...]:
    """The first k + 1 coefficients as rational functions of the other letters."""
    field, above, below = _in_a_field(term, symbol)
    before = _quotients(term, symbol, k - 1) if k else ()
    known = (below[m] * before[k - m] for m in range(1, min(k, len(below) - 1) + 1))
    return (*before, ((above[k] if k < len(above) else field.zero) - sum(known, field.zero)) / below[0])


@cache
def _in_a_field(term: Any, symbol: Any) -> tuple[Any, list[Any], list[Any]]:
    """The field of rational functions, and both rows of coefficients in it; none where they are not."""
    top, bottom, lowest = _quotient(term, symbol)
    letters = sorted({s for c in (*top, *bottom) for s in c.free_symbols}, key=str)
    if not letters or not all(c.is_rational_function(*letters) for c in (*top, *bottom)):
        return None, [], []
    field = sp.QQ.frac_field(*letters)
    try:
        above, below = ([field.from_sympy(c) for c in row] for row in (top, bottom[lowest:]))
    except sp.CoercionFailed:
        return None, [], []
    return field, above, below
