"""The leading term of an expression as a parameter vanishes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

from sgtheory.polynomials import cancelled, is_zero


def leading(expr: Any, small: Any) -> tuple[Any, Any] | None:
    """The lowest power of a parameter and what multiplies it; None for zero.

    >>> h, a = sp.symbols("h a", positive=True)
    >>> leading(h**2 * a / (1 + h) + h**3, h)
    (2, a)
    """
    root = sp.Dummy(positive=True)
    top, bottom = sp.fraction(sp.together(sp.sympify(expr).subs(small, root**2)))
    above, below = _lowest(sp.expand(top), root), _lowest(sp.expand(bottom), root)
    if above is None or below is None:
        return None
    return sp.Rational(above[0] - below[0], 2), cancelled(above[1] / below[1])


def vanishing(expr: Any, step: Any, others: Iterable[str] = ()) -> tuple[Any, Any, Any] | None:
    """The letter in which an expression vanishes, to which power, and times what; None where none is.

    That is the step, or else one of others, by name, beside which the step vanishes faster.

    >>> h, a = sp.symbols("h a", positive=True)
    >>> vanishing(h * a + a**2, h, ("a",)), vanishing(h * a + a**2, h)
    ((a, 2, 1), None)
    """
    found = leading(expr, step)
    if found is None or found[0] < 0:
        return None
    if found[0] > 0:
        return step, *found
    letters = {s.name: s for s in sp.sympify(found[1]).free_symbols}
    every = ((letters[n], leading(found[1], letters[n])) for n in others if n in letters)
    return next(((a, *one) for a, one in every if one is not None and one[0] > 0), None)


def _lowest(expr: Any, root: Any) -> tuple[int, Any] | None:
    if expr == 0:
        return None
    if not expr.is_polynomial(root):
        term = expr.as_leading_term(root)
        coefficient, power = term.as_coeff_exponent(root)
        return int(power), coefficient
    terms = sp.Poly(expr, root).terms()
    for (power,), coefficient in reversed(terms):
        if not is_zero(coefficient):
            return power, coefficient
    return None
