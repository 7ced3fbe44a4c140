"""The first terms of a formula as a letter vanishes: powers, perhaps broken, perhaps with a logarithm.

Rational, algebraic and logarithmic formulas in positive letters are expanded term by term with exact
coefficients; precision is raised until a term survives. Nothing here takes a limit numerically.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.polynomials import cancelled, factored

LOG = sp.Symbol("log(1/x)", positive=True)  # grows beyond all bounds as x vanishes
_WINDOWS = (2, 4, 8, 16)  # powers of x kept beyond the first
Exponent = Fraction | float  # math.inf for what is zero


class Undecided(ArithmeticError):
    """The formula has no expansion of this form, or a coefficient cannot be told from zero."""


@dataclass(frozen=True)
class Term:
    """``coefficient * x**power * log(1/x)**logs`` to first order in the logarithm."""

    power: Exponent
    coefficient: Any
    logs: int = 0
    divisor: Any = field(default=sp.Integer(1), compare=False, repr=False)  # must not vanish

    def written(self, x: Any) -> Any:
        """In a letter."""
        if self.power == math.inf:
            return sp.Integer(0)
        power = sp.Rational(Fraction(self.power).numerator, Fraction(self.power).denominator)
        return self.coefficient * x**power * sp.log(1 / x) ** self.logs


NOTHING = Term(math.inf, sp.Integer(0))


def first_terms(expr: Any, x: Any, limit: str = "0", count: int = 2) -> tuple[Term, ...]:
    """The first terms, at most so many; NOTHING alone where the formula is zero."""
    expr = sp.sympify(expr)
    inside = expr.subs(x, 1 / x) if limit == "oo" else expr
    rational = _rational(inside, x)
    if rational is not None and not rational[0]:
        return (NOTHING,)
    for window in _WINDOWS:
        series = _quotient(*rational, window) if rational else _expand(inside, x, Fraction(window))
        found = [(p, c) for p, c in sorted(series.terms.items()) if not is_zero(c)]
        if len(found) >= count or (found and (series.limit is None or window == _WINDOWS[-1])):
            divisor = rational[1][min(rational[1])] if rational else sp.Integer(1)
            return tuple(replace(_term(p, c, limit), divisor=divisor) for p, c in found[:count])
        if not found and series.limit is None:
            return (NOTHING,)
    if is_zero(expr):
        return (NOTHING,)
    raise Undecided(f"no term of {expr} was found within {_WINDOWS[-1]} powers of {x}")


def series(expr: Any, x: Any, orders: int) -> Any:
    """A formula as a polynomial in x, up to some power.

    >>> x, a = sp.symbols("x a", positive=True)
    >>> series(sp.log(1 + a * x), x, 2)
    -a**2*x**2/2 + a*x
    """
    terms = _expand(expr, x, Fraction(orders + 1)).terms.items()
    kept = (c * x ** sp.Rational(p.numerator, p.denominator) for p, c in terms if p <= orders)
    return sp.Add(*kept)


def _term(power: Fraction, coefficient: Any, limit: str) -> Term:
    power = -power if limit == "oo" else power
    coefficient = _short(coefficient)
    if not coefficient.has(LOG):
        return Term(power, coefficient)
    top, bottom = (sp.Poly(p, LOG) for p in sp.fraction(sp.together(coefficient)))
    ratio = cancelled(top.LC() / bottom.LC())
    return Term(power, ratio, top.degree() - bottom.degree())


def is_zero(coefficient: Any) -> bool:
    """Whether a formula in positive letters vanishes identically; numbers first, then algebra."""
    coefficient = sp.sympify(coefficient)
    if coefficient.is_Rational:
        return bool(coefficient == 0)
    source = random.Random(5)
    letters = sorted(coefficient.free_symbols, key=str)
    for _ in range(2):
        at = {s: sp.Rational(source.randrange(1, 997), source.randrange(1, 997)) for s in letters}
        value = coefficient.subs(at)
        if value.has(sp.nan, sp.zoo):
            continue
        size = abs(sp.N(value, 60))
        if not size.is_comparable:
            raise Undecided(f"{coefficient} is no number where its letters are")
        if size > sp.Float("1e-40", 60):
            return False
    if sp.simplify(coefficient) == 0:
        return True
    raise Undecided(f"{coefficient} is zero to forty digits and in no way that algebra sees")


def _short(coefficient: Any) -> Any:
    if coefficient.is_rational_function(*coefficient.free_symbols):
        return factored(coefficient)
    return sp.simplify(coefficient)


@dataclass(frozen=True)
class _Series:
    """Coefficients by power of x, and the power from which nothing is known (None: all is)."""

    terms: dict[Fraction, Any]
    limit: Fraction | None

    @property
    def low(self) -> Fraction:
        """The lowest power that is there; where none is, the lowest that could be."""
        kept = [p for p, c in self.terms.items() if not is_zero(c)]
        if kept:
            return min(kept)
        if self.limit is None:
            raise ZeroDivisionError("the series is zero")
        return self.limit


def _made(terms: dict[Fraction, Any], limit: Fraction | None) -> _Series:
    kept = {p: c for p, c in terms.items() if c != 0 and (limit is None or p < limit)}
    return _Series(kept, limit)


def _rational(expr: Any, x: Any) -> tuple[dict[int, Any], dict[int, Any]] | None:
    """Numerator and denominator by power of x, where the formula is a quotient of polynomials."""
    if not expr.is_rational_function(*expr.free_symbols):
        return None
    top, bottom = sp.fraction(cancelled(expr))
    coefficients = [{m[0]: c for m, c in sp.Poly(p, x).terms() if c != 0} for p in (top, bottom)]
    return coefficients[0], coefficients[1]


def _quotient(top: dict[int, Any], bottom: dict[int, Any], window: int) -> _Series:
    """Long division, lowest powers first."""
    low_top, low = min(top), min(bottom)
    found: list[Any] = []
    for k in range(window):
        known = sp.Add(*(bottom.get(low + m, 0) * found[k - m] for m in range(1, k + 1)))
        found.append(cancelled((top.get(low_top + k, sp.Integer(0)) - known) / bottom[low]))
    first = Fraction(low_top - low)
    exact = len(bottom) == 1 and window > max(top) - low_top
    return _made({first + k: c for k, c in enumerate(found)}, None if exact else first + window)


def _expand(expr: Any, x: Any, window: Fraction) -> _Series:
    """The expansion of any formula of powers and logarithms."""
    if not expr.has(x):
        return _made({Fraction(0): expr}, None)
    if expr == x:
        return _made({Fraction(1): sp.Integer(1)}, None)
    if expr.is_Add:
        total = _made({}, None)
        for part in expr.args:
            total = _add(total, _expand(part, x, window))
        return total
    if expr.is_Mul:
        product = _made({Fraction(0): sp.Integer(1)}, None)
        for part in expr.args:
            product = _multiply(product, _expand(part, x, window), window)
        return product
    if expr.is_Pow and not expr.exp.has(x):
        return _power(_expand(expr.base, x, window), expr.exp, window)
    if isinstance(expr, sp.log):
        return _logarithm(_expand(expr.args[0], x, window), window)
    if isinstance(expr, sp.exp):
        return _exponential(_expand(expr.args[0], x, window), window)
    if isinstance(expr, sp.erf):
        return _error_function(_expand(expr.args[0], x, window), window)
    raise Undecided(f"{expr} is no formula of powers and logarithms of {x}")


def _least(*limits: Fraction | None) -> Fraction | None:
    known = [v for v in limits if v is not None]
    return min(known) if known else None


def _add(a: _Series, b: _Series) -> _Series:
    terms = dict(a.terms)
    for p, c in b.terms.items():
        terms[p] = sp.expand(terms.get(p, sp.Integer(0)) + c)
    return _made(terms, _least(a.limit, b.limit))


def _multiply(a: _Series, b: _Series, window: Fraction) -> _Series:
    if (not a.terms and a.limit is None) or (not b.terms and b.limit is None):
        return _made({}, None)
    low_a, low_b = (min(s.terms, default=s.limit) for s in (a, b))
    assert low_a is not None
    assert low_b is not None
    edge = [None if s.limit is None else s.limit + low for s, low in ((a, low_b), (b, low_a))]
    terms: dict[Fraction, Any] = {}
    for p, c in a.terms.items():
        for r, d in b.terms.items():
            terms[p + r] = terms.get(p + r, sp.Integer(0)) + c * d
    limit = _least(*edge)
    if terms and max(terms) >= low_a + low_b + window:
        limit = _least(limit, low_a + low_b + window)
    return _made({p: sp.expand(c) for p, c in terms.items()}, limit)


def _split(s: _Series) -> tuple[Fraction, Any, _Series]:
    """``c x^v (1 + u)``: v, c and u."""
    v = s.low
    if v not in s.terms:
        raise Undecided("the first term is beyond the precision")
    c = s.terms[v]
    rest = {p - v: d / c for p, d in s.terms.items() if p > v}
    return v, c, _made(rest, None if s.limit is None else s.limit - v)


def _compose(u: _Series, coefficients: Any, window: Fraction) -> _Series:
    """The sum of coefficients(k) u^k, for u that vanishes with x."""
    total = _made({Fraction(0): coefficients(0)}, None)
    if not u.terms and u.limit is None:
        return total
    power = _made({Fraction(0): sp.Integer(1)}, None)
    low = min(u.terms, default=u.limit)
    assert low is not None
    steps = math.ceil(window / low)
    for k in range(1, steps + 1):
        power = _multiply(power, u, window)
        total = _add(total, _made({p: coefficients(k) * c for p, c in power.terms.items()}, power.limit))
        if coefficients(k) == 0:  # a whole power ends
            return total
    return _made(total.terms, _least(total.limit, low * (steps + 1)))


def _power(s: _Series, r: Any, window: Fraction) -> _Series:
    """By the binomial series; where the exponent is a letter, of what tends to a number."""
    v, c, u = _split(s)
    if v != 0 and not r.is_Rational:
        raise Undecided(f"the power {r} of what vanishes")
    root = _compose(u, lambda k: sp.expand(sp.ff(r, k)) / sp.factorial(k), window)
    outer = sp.powdenest(factored(c) ** r, force=False) if r.is_Rational else c**r
    first = v * Fraction(int(r.p), int(r.q)) if v else v
    return _multiply(root, _made({first: outer}, None), window)


def _logarithm(s: _Series, window: Fraction) -> _Series:
    v, c, u = _split(s)
    if c.has(LOG):
        raise Undecided("a logarithm of a logarithm")
    inner = _compose(u, lambda k: sp.Rational((-1) ** (k + 1), k) if k else sp.Integer(0), window)
    constant = sp.log(factored(c)) - sp.Rational(v.numerator, v.denominator) * LOG
    return _add(_made({Fraction(0): constant}, None), inner)


def _about_limit(s: _Series, of: str) -> tuple[Any, _Series]:
    """The number that it tends to, and what it is off it."""
    constant = s.terms.get(Fraction(0), sp.Integer(0))
    if (s.terms and min(s.terms) < 0) or constant.has(LOG):
        raise Undecided(f"{of} of what grows")
    return constant, _made({p: c for p, c in s.terms.items() if p > 0}, s.limit)


def _exponential(s: _Series, window: Fraction) -> _Series:
    constant, u = _about_limit(s, "an exponential")
    inner = _compose(u, lambda k: 1 / sp.factorial(k), window)
    return _multiply(inner, _made({Fraction(0): sp.exp(constant)}, None), window)


def _error_function(s: _Series, window: Fraction) -> _Series:
    """By Taylor's series about its limit: derivatives are a bell curve times polynomials."""
    constant, u = _about_limit(s, "an error function")
    bell = 2 / sp.sqrt(sp.pi) * sp.exp(-(constant**2))

    def coefficient(k: int) -> Any:
        if k == 0:
            return sp.erf(constant)
        return bell * (-1) ** (k - 1) * sp.hermite(k - 1, constant) / sp.factorial(k)

    return _compose(u, coefficient, window)


def taken_and_added(expr: Any) -> tuple[Any, Any]:
    """What a sum takes away, and what it adds: it is positive where the one is below the other.

    >>> a, b = sp.symbols("a b", positive=True)
    >>> taken_and_added(a * (1 - b) - 2)
    (a*b + 2, a)
    """
    terms = sp.Add.make_args(sp.expand(expr))
    taken = [one for one in terms if one.could_extract_minus_sign()]
    return -sp.Add(*taken), sp.Add(*(one for one in terms if one not in taken))


def sign(expr: Any) -> int | None:
    """The sign that a formula has wherever its letters are positive; None where it has no one sign.

    >>> a, b = sp.symbols("a b", positive=True)
    >>> sign(a + b / (1 + a)), sign(-a * (a + b)), sign(a - b)
    (1, -1, None)
    """
    expr = sp.sympify(expr)
    if expr.is_positive or expr.is_negative:
        return 1 if expr.is_positive else -1
    found = 1
    for factor in sp.Mul.make_args(factored(expr)):
        base, power = factor.as_base_exp()
        one = _sign_of_sum(base)
        if one is None:
            return None
        found *= 1 if power.is_Integer and power % 2 == 0 else one
    return found


def _sign_of_sum(base: Any) -> int | None:
    if base.is_positive or base.is_negative:
        return 1 if base.is_positive else -1
    signs = set()
    for term in sp.Add.make_args(sp.expand(base)):
        if not (term.is_positive or term.is_negative):
            return None
        signs.add(1 if term.is_positive else -1)
    return signs.pop() if len(signs) == 1 else None


def known_signs(expr: Any, positive: tuple[Any, ...]) -> Any:
    """A formula with factors that are known to be positive (2 - mu) as positive letters."""
    for k, known in enumerate(positive):
        letter = sp.Symbol(f"_known_{k}", positive=True)
        symbols = sorted(known.free_symbols, key=str)
        if len(symbols) == 1 and sp.degree(known, symbols[0]) == 1:
            factors = []
            for factor in sp.Mul.make_args(factored(expr)):
                base, power = factor.as_base_exp()
                ratio = cancelled(base / known)
                factors.append((ratio * letter if ratio.is_number else base) ** power)
            expr = sp.Mul(*factors)
    return expr
