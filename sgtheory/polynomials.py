"""Rational functions of letters by FLINT: cancelled and factored as SymPy writes them, but sooner.

A letter is a symbol, or whatever else is no sum, product or power: an exponential, a function that is
not known. A letter under a root is a power of the root, and exp(2*a + b) is exp(a)^2 exp(b). Nothing
else is known of letters; the root of a sum is one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, lcm, prod
from typing import Any

import sympy as sp
from flint import Ordering, fmpq, fmpq_mpoly_ctx


@dataclass(frozen=True)
class Quotient:
    """Two polynomials without a common factor; their coefficients are whole, without a common divisor.

    The first coefficient below is positive, in the order of SymPy's letters.
    """

    above: Any
    below: Any
    letters: tuple[Any, ...]

    @property
    def numerator(self) -> Any:
        """What stands above, multiplied out."""
        return _written(self.above, self.letters)

    @property
    def denominator(self) -> Any:
        """What stands below, multiplied out."""
        return _written(self.below, self.letters)

    @property
    def is_zero(self) -> bool:
        """Whether it is zero, identically."""
        return bool(self.above.is_zero())

    def power_of(self, letter: Any) -> int | None:
        """The whole power of a letter that stands before all the rest; None where the rest has it too.

        >>> x, y = sp.symbols("x y")
        >>> [quotient(e).power_of(x) for e in ((x + x * y) / y**2, x + y, x * sp.exp(x))]
        [1, None, None]
        """
        found = 0
        for k, one in enumerate(self.letters):
            powers = [{int(e[k]) for e in side.monoms()} for side in (self.above, self.below)]
            if powers == [{0}, {0}] or not one.has(letter):
                continue
            base, exponent = one.as_base_exp()
            if base != letter or any(len(side) > 1 for side in powers):
                return None
            above, below = (min(side) for side in powers)
            found, rest = divmod(above - below, int(exponent.q))
            if rest:
                return None
        return found

    def without_squares(self) -> Quotient:
        """The same but for factors that are squares: it has the same sign where these do not vanish.

        >>> x, y = sp.symbols("x y")
        >>> quotient((x - y) ** 2 * (x + y) / x**3).without_squares().expr
        (x + y)/x
        """
        return Quotient(_odd(self.above), _odd(self.below), self.letters)

    @property
    def is_plainly_positive(self) -> bool:
        """Whether all terms above and below are positive: coefficients are, and letters that occur.

        >>> x, y = sp.Symbol("x", positive=True), sp.Symbol("y", real=True)
        >>> quotient(x * (y - 1) ** 2).without_squares().is_plainly_positive
        True
        """
        sides = self.above, self.below
        degrees = zip(self.letters, *(side.degrees() for side in sides), strict=True)
        if self.is_zero or any(any(powers) and not one.is_positive for one, *powers in degrees):
            return False
        return all(c > 0 for side in sides for c in side.coeffs())

    @property
    def expr(self) -> Any:
        """As SymPy's cancel writes it."""
        return self.numerator / self.denominator

    def factored(self) -> Any:
        """As SymPy's factor writes it: a number, and powers of factors that have no others."""
        if self.is_zero:
            return sp.Integer(0)
        (a, above), (b, below) = self.above.factor(), self.below.factor()
        powers = [(f, int(n)) for f, n in above] + [(f, -int(n)) for f, n in below]
        number, product = _rational(a) / _rational(b), sp.Integer(1)
        for factor, power in powers:
            whole, scale = _whole(factor)
            number *= _rational(scale) ** -power
            product *= _written(whole, self.letters) ** power
        if product.is_Add and number not in (1, -1):
            return sp.Mul(number, product, evaluate=False)
        return number * product


def quotient(expr: Any) -> Quotient:
    """A formula in letters that commute, over one denominator, without common factors.

    >>> x, y = sp.symbols("x y")
    >>> quotient(1 / (x - y) + 1 / (x + y)).expr
    2*x/(x**2 - y**2)
    """
    expr = sp.sympify(expr)
    roots = _letters(expr)
    letters = tuple(_root(base, q) for base, q in roots.items())
    context = fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(len(roots))), Ordering.lex)
    generators = context.gens() if roots else ()
    above, below = _Reader(context, dict(zip(roots, generators, strict=True)), roots).read(expr)
    return _in_lowest_terms(above, below, letters)


def is_readable(expr: Any) -> bool:
    """Whether it has letters and rational numbers only, and its letters commute."""
    return bool(expr.is_commutative) and not expr.has(sp.Float, sp.I, sp.nan, sp.oo, sp.zoo)


def cancelled(expr: Any) -> Any:
    """SymPy's cancel, which itself takes what has other numbers, or letters that do not commute.

    >>> x, y = sp.symbols("x y")
    >>> cancelled((x**2 - y**2) / (x - y))
    x + y
    """
    expr = sp.sympify(expr)
    return quotient(expr).expr if is_readable(expr) else sp.cancel(expr)


def factored(expr: Any) -> Any:
    """SymPy's factor, of the same.

    >>> x, y = sp.symbols("x y")
    >>> factored(x / 2 - x**3 / 2)
    -x*(x - 1)*(x + 1)/2
    """
    expr = sp.sympify(expr)
    return quotient(expr).factored() if is_readable(expr) else sp.factor(expr)


def is_zero(expr: Any) -> bool:
    """Whether a formula is zero: FLINT knows it of letters; of roots and functions SymPy looks further.

    >>> x, y = sp.symbols("x y")
    >>> is_zero((x + y) ** 2 - x**2 - 2 * x * y - y**2), is_zero(sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1)
    (True, True)
    >>> is_zero((x - y) / (y - x)), is_zero((1 + sp.sqrt(2)) * (sp.sqrt(2) - 1) - 1)
    (False, True)
    """
    expr = sp.sympify(expr)
    if isinstance(expr, sp.Expr) and is_readable(expr):
        found = quotient(expr)
        if found.is_zero or all(one.is_Symbol for one in found.letters):
            return found.is_zero
    return bool(sp.simplify(expr) == 0)


def _root(base: Any, q: int) -> Any:
    return base if q == 1 else base ** sp.Rational(1, q)


def _parts(expr: Any) -> tuple[Any, Any]:
    """A letter and its power: exp(2*x) is the square of exp(x)."""
    base, power = expr.as_base_exp()
    if power.is_Rational:
        return base, power
    number, rest = power.as_coeff_Mul(rational=True)
    return base ** (rest / number.q), sp.Integer(number.p)


def _is_power(expr: Any) -> bool:
    return expr.is_Pow and expr.exp.is_Integer


def _split(expr: Any) -> list[Any]:
    """The factors of a product; those of a power whose exponent is a sum."""
    if expr.is_Mul:
        return list(expr.args)
    base, power = expr.as_base_exp()
    return [base**one for one in power.args] if power.is_Add else []


def _found(expr: Any) -> Iterator[tuple[Any, int]]:
    """What letters are powers of, and the denominators of the powers."""
    if expr.is_Rational:
        return
    if parts := expr.args if expr.is_Add else _split(expr):
        for one in parts:
            yield from _found(one)
    elif _is_power(expr):
        yield from _found(expr.base)
    else:
        base, power = _parts(expr)
        yield base, int(power.q)


def _letters(expr: Any) -> dict[Any, int]:
    """What its letters are the roots of, and which roots, in SymPy's order of letters."""
    found: dict[Any, int] = {}
    for base, q in _found(expr):
        found[base] = lcm(q, found.get(base, 1))
    named = {sp.Symbol(str(_root(*one))): one for one in found.items()}
    if len(named) < 2 or len(named) < len(found):  # letters that are written alike
        return found
    return dict(named[one] for one in sp.Poly(sp.Add(*named)).gens)


class _Reader:
    """Reads a formula as a quotient of polynomials."""

    def __init__(self, context: Any, known: dict[Any, Any], roots: dict[Any, int]) -> None:
        self.known, self.roots, self.one = known, roots, context.constant(1)

    def read(self, expr: Any) -> tuple[Any, Any]:
        if expr.is_Rational:
            return self.one * fmpq(int(expr.p), int(expr.q)), self.one
        if expr.is_Add:
            return self._sum(expr.args)
        if factors := _split(expr):
            pairs = [self.read(one) for one in factors]
            return prod((a for a, _ in pairs), start=self.one), prod(
                (b for _, b in pairs), start=self.one
            )
        if _is_power(expr):
            pair, power = self.read(expr.base), int(expr.exp)
        else:
            base, broken = _parts(expr)
            pair, power = (self.known[base], self.one), int(broken * self.roots[base])
        above, below = pair if power > 0 else pair[::-1]
        if below.is_zero():
            raise ZeroDivisionError(f"{expr} divides by zero")
        return above ** abs(power), below ** abs(power)

    def _sum(self, parts: Any) -> tuple[Any, Any]:
        """Those over one denominator are added first."""
        pairs: list[tuple[Any, Any]] = []
        for above, below in map(self.read, parts):
            same = next((k for k, (_, b) in enumerate(pairs) if b == below), None)
            if same is None:
                pairs.append((above, below))
            else:
                pairs[same] = pairs[same][0] + above, below
        while len(pairs) > 1:
            (a, b), (c, d), *rest = pairs
            common = b.gcd(d)
            more, own = d / common, b / common
            pairs = [*rest, (a * more + c * own, b * more)]
        return pairs[0]


def _in_lowest_terms(above: Any, below: Any, letters: tuple[Any, ...]) -> Quotient:
    if above.is_zero():
        return Quotient(above, below**0, letters)
    common = above.gcd(below)
    (above, m), (below, n) = map(_whole, (above / common, below / common))
    scale = n / m if below.leading_coefficient() > 0 else -n / m
    sign = 1 if below.leading_coefficient() > 0 else -1
    scale = abs(scale) * (1 if scale > 0 else -1)
    return Quotient(above * fmpq(scale.p, 1), below * fmpq(sign * scale.q, 1), letters)


def _whole(polynomial: Any) -> tuple[Any, Any]:
    """A multiple with whole coefficients that have no common divisor, and what it was multiplied by."""
    coefficients = polynomial.coeffs()
    below = lcm(*(int(c.q) for c in coefficients))
    scale = fmpq(below, gcd(*(int(c.p) * (below // int(c.q)) for c in coefficients)))
    return polynomial * scale, scale


def _odd(polynomial: Any) -> Any:
    number, factors = polynomial.factor_squarefree()
    one = polynomial**0 * (1 if number > 0 else -1)
    return prod((f for f, n in factors if int(n) % 2), start=one)


def _rational(number: Any) -> Any:
    return sp.Rational(int(number.p), int(number.q))


def _written(polynomial: Any, letters: tuple[Any, ...]) -> Any:
    terms = []
    for powers, coefficient in polynomial.to_dict().items():
        product = sp.Mul(*(x ** int(n) for x, n in zip(letters, powers, strict=True) if n))
        terms.append(_rational(coefficient) * product)
    return sp.Add(*terms)
