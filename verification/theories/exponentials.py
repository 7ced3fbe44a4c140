"""Sums of powers times exponentials in symbols: integrals, whether such a formula vanishes, its sign.

Exponentials whose exponents are linearly independent over the rationals, and not constant, are
algebraically independent over the rational functions. So a formula vanishes identically if and only if
it does with a letter of its own in the place of each of them.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import sympy as sp

from sgtheory.notation.sentence import say
from sgtheory.polynomials import factored, quotient
from verification.laws.pair_form import NotInPairForm

_DEPTH = 12
_X = sp.Symbol("x", positive=True)


def integral(expr: Any, x: Any, low: Any, high: Any) -> Any:
    """The integral over x of a sum of powers of x times exponentials of multiples of it.

    >>> x, a = sp.symbols("x a", positive=True)
    >>> integral(x * sp.exp(-a * x), x, 0, sp.oo)
    a**(-2)
    """
    low, high, total = sp.sympify(low), sp.sympify(high), sp.Integer(0)
    for power, rate, rest, rest_exponent in _terms(expr, x):
        ends = [_primitive(power, rate, rest_exponent, x, end) for end in (high, low)]
        total += rest * (ends[0] - ends[1])
    return total


def _terms(expr: Any, x: Any) -> Any:
    """Each term as a power of x, the rate of its exponential, and what does not depend on x."""
    for term in _distributed(expr, x):
        power, exponent, rest = 0, sp.Integer(0), sp.Integer(1)
        for factor in sp.Mul.make_args(term):
            if isinstance(factor, sp.exp):
                exponent += factor.args[0]
            elif factor.has(x):
                base, p = factor.as_base_exp()
                if base != x or not (p.is_Integer and p > 0):
                    raise NotInPairForm(f"{factor} is no power of {x}")
                power += int(p)
            else:
                rest *= factor
        exponent = sp.expand(exponent)
        rate = factored(exponent.coeff(x, 1))
        if sp.expand(exponent - exponent.coeff(x, 1) * x).has(x):
            raise NotInPairForm(f"{exponent} is not linear in {x}")
        yield power, rate, rest, sp.expand(exponent - exponent.coeff(x, 1) * x)


def _distributed(expr: Any, x: Any) -> list[Any]:
    """The terms of a sum, products multiplied out as far as they depend on x, and no further."""
    if expr.is_Add:
        return [t for a in expr.args for t in _distributed(a, x)]
    if not expr.is_Mul and not (expr.is_Pow and expr.base.is_Add and expr.exp.is_Integer):
        return [expr]
    factors = expr.args if expr.is_Mul else [expr.base] * max(int(expr.exp), 0)
    if not any(f.has(x) and (f.is_Add or f.is_Pow) for f in factors) or not factors:
        return [expr]
    terms = [sp.Integer(1)]
    for factor in factors:
        parts = _distributed(factor, x) if factor.has(x) else [factor]
        terms = [t * p for t in terms for p in parts]
    return terms


def _primitive(power: int, rate: Any, constant: Any, x: Any, end: Any) -> Any:
    """A primitive of x^power exp(rate x + constant) at one end, which may be infinite."""
    if rate == 0:
        if end.is_infinite:
            raise NotInPairForm("an integral that diverges")
        return end ** (power + 1) / sp.Integer(power + 1) * sp.exp(constant)
    if end.is_infinite:
        known = rate.is_negative if end == sp.oo else rate.is_positive
        if not known:
            raise NotInPairForm("an integral that is not known to converge")
        return sp.Integer(0)
    whole = sum(
        (-1) ** k * sp.ff(power, k) * end ** (power - k) / rate ** (k + 1) for k in range(power + 1)
    )
    return whole * sp.exp(sp.expand(rate * end + constant))


def added_up(expr: Any, k: Any, low: Any, high: Any) -> Any:
    """The sum over whole numbers of powers of k times exponentials of multiples of it.

    >>> k, n, a = sp.Symbol("k", integer=True), *sp.symbols("n a", positive=True)
    >>> sp.factor(added_up(k, k, 1, n)), sp.simplify(added_up(sp.exp(-a * k), k, 0, sp.oo))
    (n*(n + 1)/2, exp(a)/(exp(a) - 1))
    """
    total = sp.Integer(0)
    for power, rate, rest, constant in _terms(expr, k):
        ends = [_summed(power, rate, end) for end in (high + 1, sp.sympify(low))]
        total += rest * sp.exp(constant) * (ends[0] - ends[1])
    return total


def _summed(power: int, rate: Any, end: Any) -> Any:
    """What differs by k^power exp(rate k) from k to k + 1, at one end, which may be infinite."""
    if end.is_infinite:
        if not (rate.is_negative if end == sp.oo else rate.is_positive):
            raise NotInPairForm("a sum that is not known to be finite")
        return sp.Integer(0)
    if rate == 0:
        return sp.bernoulli(power + 1, end) / (power + 1)
    r = sp.Dummy()
    return sp.diff(sp.exp(r * end) / (sp.exp(r) - 1), r, power).subs(r, rate)


def vanishes(expr: Any) -> bool:
    """Whether a formula in letters and exponentials is zero, whatever its letters are.

    >>> x = sp.Symbol("x")
    >>> vanishes(sp.exp(2 * x) - sp.exp(x) ** 2), vanishes(sp.exp(2 * x) - sp.exp(x))
    (True, False)
    """
    return quotient(algebraic(expr)[0]).is_zero


def algebraic(expr: Any) -> tuple[Any, dict[Any, Any]]:
    """The formula with letters for exponentials, and what each letter stands for."""
    expr = sp.powsimp(sp.sympify(expr), combine="exp") if expr.has(sp.exp) else sp.sympify(expr)
    atoms = sorted(expr.atoms(sp.exp), key=str)
    exponents = {a: _monomials(a.args[0]) for a in atoms}
    units: dict[Any, Any] = {}
    for found in exponents.values():
        for m, q in found.items():
            units[m] = _common_unit(units[m], q) if m in units else abs(q)
    letters = {m: sp.Symbol(f"_E{k}", positive=True) for k, m in enumerate(sorted(units, key=str))}
    replaced = {
        a: sp.Mul(*(letters[m] ** (q / units[m]) for m, q in found.items()))
        for a, found in exponents.items()
    }
    return expr.xreplace(replaced), {letters[m]: sp.exp(units[m] * m) for m in letters}


def _monomials(exponent: Any) -> dict[Any, Any]:
    """An exponent as rational multiples of products of letters."""
    found: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(exponent)):
        q, rest = term.as_coeff_Mul()
        if not q.is_Rational:
            raise NotInPairForm(f"{exponent} has a coefficient that is not rational")
        found[rest] = found.get(rest, sp.Integer(0)) + q
    return {m: q for m, q in found.items() if q != 0}


def _common_unit(a: Any, b: Any) -> Any:
    """The largest rational number of which both are whole multiples."""
    return sp.Rational(gcd(int(a.p) * int(b.q), int(b.p) * int(a.q)), int(a.q) * int(b.q))


def without_decay(expr: Any, x: Any) -> Any:
    """The formula for large x, but for what is smaller than every power: decaying exponentials."""

    def settled(e: Any) -> Any:
        rate = factored(sp.expand(e.args[0]).coeff(x, 1))
        if not e.has(x):
            return e
        if not rate.is_negative:
            raise NotInPairForm(f"{e} is not known to decay")
        return sp.Integer(0)

    return expr.replace(lambda e: isinstance(e, sp.exp), settled)


# -- signs ---------------------------------------------------------------------------------------------


def nowhere_negative(expr: Any, counts: tuple[Any, ...] = ()) -> str | None:
    """How it is known of a formula in positive letters, some of them at least one; None where it is not.

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
        return _polynomial(*(p.subs({s: 1 + s for s in counts}) for p in (top, bottom)))
    ((E, grown),) = letters.items()
    unit = grown.args[0]
    x, other = _one_letter(unit, counts)
    if x is None:
        return None
    more = {s: 1 + s for s in counts if s != x}
    top, bottom = (sp.expand(p.subs(x, _X * other).subs(more)) for p in (top, bottom))
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
        words = "with $x = {}$, it is made of powers and exponentials of $x$ with positive factors"
        return say(words, sp.sstr(unit))
    words = "with $x = {}$ and an exponential as a factor, it is not negative at $x = 0$ and never falls"
    return say(words, sp.sstr(unit))


def _polynomial(top: Any, bottom: Any) -> str | None:
    value = quotient(top / bottom)
    if value.is_zero:
        return "both sides are equal"
    if value.is_plainly_positive:
        return "all of its terms are positive"
    positive = value.without_squares().is_plainly_positive
    return "but for squares, all of its terms are positive" if positive else None


def _one_letter(unit: Any, counts: tuple[Any, ...]) -> tuple[Any, Any]:
    """A letter of which a product is a multiple, and that letter over the product."""
    for letter in sorted(unit.free_symbols, key=lambda s: (s in counts, s.name != "lambda_i", s.name)):
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
