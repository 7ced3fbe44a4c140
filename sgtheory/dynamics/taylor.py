"""Polynomials in small increments with exact coefficients, and expressions evaluated in them.

Derivatives are read off the coefficients: this is the route to a residual that shares no calculus with
SymPy. Unspecified functions become given polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

from flint import arb, ctx, fmpq

from sgtheory.dynamics.surds import Surd
from sgtheory.dynamics.surds import root as exact_root

Polynomial = Mapping[tuple[int, ...], Fraction]


class Taylor:
    """A polynomial in increments of some variables, cut after a total degree (None: never).

    >>> x = Taylor.variable(0, Fraction(3), 1, 2)
    >>> (x**3).terms
    {(0,): Fraction(27, 1), (1,): Fraction(27, 1), (2,): Fraction(9, 1)}
    """

    __slots__ = ("order", "size", "terms")

    def __init__(self, terms: Mapping[tuple[int, ...], Any], size: int, order: int | None) -> None:
        self.terms = {k: c for k, c in terms.items() if c != 0}
        self.size, self.order = size, order

    @classmethod
    def variable(cls, k: int, at: Any, size: int, order: int | None) -> Taylor:
        """The k-th variable about a value."""
        unit = tuple(int(j == k) for j in range(size))
        return cls({(0,) * size: at, unit: Fraction(1)}, size, order)

    def like(self, terms: Mapping[tuple[int, ...], Any]) -> Taylor:
        """Other coefficients, same variables."""
        return Taylor(terms, self.size, self.order)

    @property
    def constant(self) -> Any:
        """The value without increments."""
        return self.terms.get((0,) * self.size, Fraction(0))

    def __add__(self, other: Any) -> Taylor:
        total = dict(self.terms)
        for k, c in self._terms_of(other).items():
            total[k] = total[k] + c if k in total else c
        return self.like(total)

    def __mul__(self, other: Any) -> Taylor:
        if not isinstance(other, Taylor):
            return self.like({k: c * other for k, c in self.terms.items()})
        total: dict[tuple[int, ...], Any] = {}
        for j, a in self.terms.items():
            for k, b in other.terms.items():
                key = tuple(map(int.__add__, j, k))
                if self.order is None or sum(key) <= self.order:
                    total[key] = total[key] + a * b if key in total else a * b
        return self.like(total)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Taylor:
        return self * -1

    def __sub__(self, other: Any) -> Taylor:
        return self + other * -1

    def __rsub__(self, other: Any) -> Taylor:
        return self * -1 + other

    def __pow__(self, power: int) -> Taylor:
        base = self if power >= 0 else self._inverse()
        found = self.like({(0,) * self.size: Fraction(1)})
        for _ in range(abs(power)):
            found = found * base
        return found

    def _inverse(self) -> Taylor:
        c = self.constant
        return self.through([(-1) ** k * c ** -(k + 1) for k in range(self.degree + 1)])

    @property
    def degree(self) -> int:
        """How many terms a series in the increments needs; of a constant, none."""
        if set(self.terms) <= {(0,) * self.size}:
            return 0
        if self.order is None:
            raise TypeError("a series in a variable that is not small")
        return self.order

    def through(self, series: Sequence[Any]) -> Taylor:
        """sum_k series[k] (self - constant)^k."""
        away = self + self.constant * -1
        found, power = self.like({}), self.like({(0,) * self.size: Fraction(1)})
        for k, c in enumerate(series):
            found = found + power * c
            power = power * away if k + 1 < len(series) else power
        return found

    def derivative(self, k: int) -> Taylor:
        """By the k-th variable; the last degree is lost."""
        lowered = {(*e[:k], e[k] - 1, *e[k + 1 :]): c * e[k] for e, c in self.terms.items() if e[k]}
        return Taylor(lowered, self.size, None if self.order is None else self.order - 1)

    def _terms_of(self, other: Any) -> Mapping[tuple[int, ...], Any]:
        return other.terms if isinstance(other, Taylor) else {(0,) * self.size: other}


@dataclass(frozen=True)
class Exactly:
    """Arithmetic in numbers or in Taylor polynomials over them, for ``walk``.

    With ``digits`` roots and exponentials of numbers are rationals that good; without, they are
    exact or refused.
    """

    values: Mapping[Any, Any]
    functions: Mapping[str, Polynomial] = field(default_factory=dict)
    digits: int | None = None

    def number(self, q: Fraction) -> Any:
        """Itself."""
        return q

    def symbol(self, s: Any) -> Any:
        """As given."""
        return self.values[s]

    def function(self, name: str, orders: tuple[int, ...], arguments: Sequence[Any]) -> Any:
        """A derivative of the polynomial that stands for a function."""
        return polynomial_value(differentiated(self.functions[name], orders), arguments)

    def root(self, x: Any) -> Any:
        """The exact root of the value, then the binomial series."""
        if not isinstance(x, Taylor):
            return exact_root(x) if self.digits is None else approximate_root(x, self.digits)
        first, c = self.root(x.constant), x.constant
        binomials = [_half_over(k) for k in range(x.degree + 1)]
        return x.through([first * b * c**-k for k, b in enumerate(binomials)])

    def exp(self, x: Any) -> Any:
        """Exact about zero only, unless digits are given."""
        if not isinstance(x, Taylor):
            if x == 0:
                return Fraction(1)
            if self.digits is None:
                raise TypeError("no exact exponential")
            return approximate_exp(x, self.digits)
        first = self.exp(x.constant)
        return x.through([first * Fraction(1, math.factorial(k)) for k in range(x.degree + 1)])

    def log(self, x: Any) -> Any:
        """Of a series up to its constant, which has to be 1 for an exact value."""
        if not isinstance(x, Taylor):
            if x != 1:
                raise TypeError("no exact logarithm")
            return Fraction(0)
        self.log(x.constant)
        return x.through([Fraction(0), *(Fraction((-1) ** (k + 1), k) for k in range(1, x.degree + 1))])

    def but(self, values: Mapping[Any, Any]) -> Exactly:
        """With more symbols."""
        return replace(self, values={**self.values, **values})


def differentiated(polynomial: Polynomial, orders: tuple[int, ...]) -> Polynomial:
    """A derivative of a polynomial given by its coefficients.

    >>> differentiated({(3,): Fraction(1)}, (2,))
    {(1,): Fraction(6, 1)}
    """
    lowered = {}
    for e, c in polynomial.items():
        if all(n >= o for n, o in zip(e, orders, strict=True)):
            factor = math.prod(math.perm(n, o) for n, o in zip(e, orders, strict=True))
            lowered[tuple(n - o for n, o in zip(e, orders, strict=True))] = c * factor
    return lowered


def polynomial_value(polynomial: Polynomial, arguments: Sequence[Any]) -> Any:
    """The polynomial at numbers or series."""
    powers: list[list[Any]] = []
    for k, x in enumerate(arguments):
        row: list[Any] = [Fraction(1), x]
        while len(row) <= max((e[k] for e in polynomial), default=0):
            row.append(row[-1] * x)
        powers.append(row)
    total: Any = Fraction(0)
    for e, c in polynomial.items():
        factors = [row[n] for row, n in zip(powers, e, strict=True) if n]
        total = total + (reduce(mul, factors) * c if factors else c)
    return total


def approximate_root(x: Any, digits: int) -> Fraction:
    """A rational root of a positive rational, that many digits after the point."""
    if isinstance(x, Surd) or x < 0:
        raise TypeError(f"no real root of {x}")
    scale = 10 ** (2 * digits)
    return Fraction(math.isqrt(int(x * scale * scale)), scale)


def approximate_exp(x: Fraction, digits: int) -> Fraction:
    """A rational exponential, that many digits after the point."""
    before, ctx.dps = ctx.dps, digits + 10 + max(0, int(x))
    try:
        grown = arb(fmpq(x.numerator, x.denominator)).exp() * 10**digits
        return Fraction(int(grown.mid().floor().unique_fmpz()), 10**digits)
    finally:
        ctx.dps = before


def _half_over(k: int) -> Fraction:
    """The binomial coefficient of 1/2 over k."""
    found = Fraction(1)
    for j in range(k):
        found *= (Fraction(1, 2) - j) / (j + 1)
    return found
