"""Whether a sum of powers times exponentials of one positive letter is nowhere negative."""

from __future__ import annotations

from typing import Any

import sympy as sp

from verification.spectral.calculus import algebraic

_DEPTH = 12
_X = sp.Symbol("x", positive=True)


def nowhere_negative(expr: Any) -> str | None:
    """How it is known of a formula in positive letters; None where it is not.

    All exponents have to be multiples of one product of letters, which is called x. What is left are
    polynomials in other letters with coefficients p(x) e^(rx) + ...: such a sum is not negative where it
    is not so at x = 0 and its derivative, times any exponential, is not negative either.

    >>> a, b = sp.symbols("a b", positive=True)
    >>> nowhere_negative(b * (sp.exp(a) - 1 - a)) is not None, nowhere_negative(sp.exp(-a) - 1) is None
    (True, True)
    """
    halves = {p.base for p in sp.sympify(expr).atoms(sp.Pow) if p.exp.is_Rational and p.exp.q == 2}
    whole = {s: sp.Symbol(f"_{s}", positive=True) ** 2 for s in halves if s.is_Symbol}
    formula, letters = algebraic(sp.sympify(expr).subs(whole))
    if len(letters) > 1:
        return None
    top, bottom = sp.fraction(sp.together(formula))
    if not letters:
        return _polynomial(top, bottom)
    ((E, grown),) = letters.items()
    unit = grown.args[0]
    x, other = _one_letter(unit)
    if x is None:
        return None
    top, bottom = (sp.expand(p.subs(x, _X * other)) for p in (top, bottom))
    n, d = (sp.together(p) for p in (top, bottom))
    total = sp.expand(sp.fraction(n)[0] * sp.fraction(d)[1])
    below = sp.expand(sp.fraction(n)[1] * sp.fraction(d)[0])
    power = sp.Poly(below, E)
    if len(power.terms()) != 1 or not power.LC().is_positive:
        return None
    rest = sorted(total.free_symbols - {E, _X}, key=str)
    coefficients = sp.Poly(total, *rest).coeffs() if rest else [total]
    if not all(_sum_is_nonnegative(_by_rate(c, E), _DEPTH) for c in coefficients):
        return None
    if all(c >= 0 for q in coefficients for p in _by_rate(q, E).values() for c in p.coeffs()):
        return (
            f"with x = {sp.sstr(unit)}, it is made of powers and exponentials of x with positive factors"
        )
    known = f"with x = {sp.sstr(unit)} and an exponential as a factor"
    return f"{known}, it is not negative at x = 0 and never falls"


def _polynomial(top: Any, bottom: Any) -> str | None:
    terms = [sp.expand(p) for p in (top, bottom)]
    positive = [all(t.is_positive for t in sp.Add.make_args(p)) or p == 0 for p in terms]
    return "all of its terms are positive" if all(positive) else None


def _one_letter(unit: Any) -> tuple[Any, Any]:
    """A letter of which a product is a multiple, and that letter over the product."""
    for letter in sorted(unit.free_symbols, key=lambda s: (s.name != "lambda_i", s.name)):
        if unit.as_powers_dict().get(letter) == 1:
            return letter, letter / unit
    return None, None


def _by_rate(expr: Any, E: Any) -> dict[int, Any]:
    """Polynomials in x by the power of the exponential that they multiply."""
    return {n: sp.Poly(c, _X) for (n,), c in sp.Poly(expr, E).terms()}


def _sum_is_nonnegative(parts: dict[int, Any], depth: int) -> bool:
    parts = {r: p for r, p in parts.items() if not p.is_zero}
    if all(c >= 0 for p in parts.values() for c in p.coeffs()):
        return True
    if depth == 0 or sum(p.eval(0) for p in parts.values()) < 0:
        return False
    return any(_sum_is_nonnegative(_derivative(parts, r), depth - 1) for r in sorted(parts))


def _derivative(parts: dict[int, Any], rate: int) -> dict[int, Any]:
    """Of the sum times exp(-rate x)."""
    return {r - rate: p.diff(_X) + p * (r - rate) for r, p in parts.items()}
