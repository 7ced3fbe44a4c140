"""Exact numbers of the form: sum of q x^k exp(r x + s), with rational q, r and s and some letters x.

Without letters such a number is zero only if all of its q are: exponentials of different rational
numbers are linearly independent over the rationals (Lindemann, Weierstrass). So equality is decided.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

Key = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, Fraction], ...]]
_ONE: Key = ((), ())


@dataclass(frozen=True)
class Exponomial:
    """Terms by powers of letters and rates of exponentials; the rate of ``""`` is the constant s.

    >>> x = Exponomial.letter("x")
    >>> (x * x.exp()).integral("x", Exponomial.of(0), Exponomial.of(1)) == Exponomial.of(1)
    True
    """

    terms: tuple[tuple[Key, Fraction], ...]

    @classmethod
    def of(cls, x: Any) -> Exponomial:
        """A rational number."""
        return made([(_ONE, Fraction(x))])

    @classmethod
    def letter(cls, name: str, power: int = 1) -> Exponomial:
        """A letter, or a power of it."""
        return made([((((name, power),), ()), Fraction(1))])

    def __add__(self, other: Exponomial) -> Exponomial:
        return made([*self.terms, *other.terms])

    def __neg__(self) -> Exponomial:
        return Exponomial(tuple((k, -q) for k, q in self.terms))

    def __sub__(self, other: Exponomial) -> Exponomial:
        return self + (-other)

    def __mul__(self, other: Exponomial) -> Exponomial:
        return made([(_merged(a, b), p * q) for a, p in self.terms for b, q in other.terms])

    def times_up_to(self, other: Exponomial, x: str, most: int) -> Exponomial:
        """The product without powers of a letter beyond some."""
        left, right = ([(dict(k[0]).get(x, 0), k, q) for k, q in e.terms] for e in (self, other))
        kept = ((_merged(a, b), p * q) for m, a, p in left for n, b, q in right if m + n <= most)
        return made(kept)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        return " + ".join(_shown(k, q) for k, q in self.terms) or "0"

    def inverse(self) -> Exponomial:
        """One over it, where it has one term."""
        if not self.terms:
            raise ZeroDivisionError("one over zero")
        if len(self.terms) > 1:
            raise TypeError(f"one over {self} is no such number")
        ((powers, rates), q), *_ = self.terms
        turned = (tuple((n, -k) for n, k in powers), tuple((n, -r) for n, r in rates))
        return made([(turned, 1 / q)])

    def power(self, n: int) -> Exponomial:
        """A whole power."""
        base, total = (self.inverse() if n < 0 else self), Exponomial.of(1)
        for _ in range(abs(n)):
            total = total * base
        return total

    def exp(self) -> Exponomial:
        """The exponential of something linear in the letters."""
        rates: dict[str, Fraction] = {}
        for (powers, exponents), q in self.terms:
            if exponents or sum(k for _, k in powers) > 1 or any(k < 0 for _, k in powers):
                raise TypeError(f"exp({self}) is no such number")
            rates[powers[0][0] if powers else ""] = q
        return made([(((), tuple(sorted(rates.items()))), Fraction(1))])

    @property
    def rational(self) -> Fraction:
        """Its value, where it is a rational number."""
        if not self.terms:
            return Fraction(0)
        if len(self.terms) > 1 or self.terms[0][0] != _ONE:
            raise TypeError(f"{self} is not rational")
        return self.terms[0][1]

    def derivative(self, x: str) -> Exponomial:
        """With respect to a letter."""
        found = []
        for (powers, rates), q in self.terms:
            k, r = dict(powers).get(x, 0), dict(rates).get(x, Fraction(0))
            found += [((powers, rates), q * r), ((_moved(powers, x, -1), rates), q * k)]
        return made(found)

    def at(self, x: str, value: Exponomial) -> Exponomial:
        """With something linear in the place of a letter."""
        total = Exponomial(())
        for (powers, rates), q in self.terms:
            rest = (tuple(p for p in powers if p[0] != x), tuple(p for p in rates if p[0] != x))
            term = made([(rest, q)]) * value.power(dict(powers).get(x, 0))
            rate = dict(rates).get(x, Fraction(0))
            total += term * (value * Exponomial.of(rate)).exp() if rate else term
        return total

    def integral(self, x: str, low: Exponomial | None, high: Exponomial | None) -> Exponomial:
        """From one limit to another; None stands for the infinity on its side."""
        primitive = self._primitive(x)
        upper = _end(primitive, x, high, 1)
        return upper - _end(primitive, x, low, -1)

    def _primitive(self, x: str) -> Exponomial:
        found = []
        for (powers, rates), q in self.terms:
            k, r = dict(powers).get(x, 0), dict(rates).get(x, Fraction(0))
            if not r:
                found.append(((_moved(powers, x, 1), rates), q / (k + 1)))
                continue
            for m in range(k + 1):
                size = q * (-1) ** m * Fraction(factorial(k), factorial(k - m)) / r ** (m + 1)
                found.append(((_moved(powers, x, -m), rates), size))
        return made(found)

    def decimal(self, digits: int = 60) -> Any:
        """Its value where it has no letters left, to so many digits."""
        import mpmath

        with mpmath.workdps(digits):
            total = mpmath.mpf(0)
            for (powers, rates), q in self.terms:
                if powers or any(n for n, _ in rates):
                    raise TypeError(f"{self} has letters")
                r = dict(rates).get("", Fraction(0))
                size = mpmath.mpf(q.numerator) / q.denominator
                total += size * mpmath.exp(mpmath.mpf(r.numerator) / r.denominator)
            return total

    def sign(self) -> int:
        """Its sign, certified: intervals are narrowed until they leave out zero."""
        import mpmath

        if not self.terms:
            return 0
        for digits in (30, 120, 480, 1920):
            mpmath.iv.dps = digits
            total = mpmath.iv.mpf(0)
            for (powers, rates), q in self.terms:
                if powers or any(n for n, _ in rates):
                    raise TypeError(f"{self} has letters")
                r = dict(rates).get("", Fraction(0))
                size = mpmath.iv.mpf(q.numerator) / q.denominator
                total += size * mpmath.iv.exp(mpmath.iv.mpf(r.numerator) / r.denominator)
            if total.a > 0 or total.b < 0:
                return 1 if total.a > 0 else -1
        raise ArithmeticError(f"the sign of {self} is not seen in 1920 digits")


def made(terms: Iterable[tuple[Key, Fraction]]) -> Exponomial:
    """Terms gathered, zeros left out."""
    found: dict[Key, Fraction] = {}
    for key, q in terms:
        if q:
            found[key] = found.get(key, Fraction(0)) + q
    return Exponomial(tuple((k, q) for k, q in sorted(found.items()) if q))


def _merged(a: Key, b: Key) -> Key:
    if a == _ONE or b == _ONE:
        return b if a == _ONE else a
    powers = dict(a[0])
    for n, k in b[0]:
        powers[n] = powers.get(n, 0) + k
    rates = dict(a[1])
    for n, r in b[1]:
        rates[n] = rates.get(n, Fraction(0)) + r
    return (
        tuple(sorted((n, k) for n, k in powers.items() if k)),
        tuple(sorted((n, r) for n, r in rates.items() if r)),
    )


def _moved(powers: tuple[tuple[str, int], ...], x: str, by: int) -> tuple[tuple[str, int], ...]:
    found = dict(powers)
    found[x] = found.get(x, 0) + by
    return tuple(sorted((n, k) for n, k in found.items() if k))


def _end(primitive: Exponomial, x: str, end: Exponomial | None, side: int) -> Exponomial:
    if end is not None:
        return primitive.at(x, end)
    if any(side * dict(rates).get(x, Fraction(0)) >= 0 for (_, rates), _ in primitive.terms):
        raise ZeroDivisionError("an integral that diverges")
    return Exponomial(())


def _shown(key: Key, q: Fraction) -> str:
    powers = "".join(f"*{n}^{k}" for n, k in key[0])
    exponent = " + ".join(f"{r}*{n}" if n else str(r) for n, r in key[1])
    return f"{q}{powers}" + (f"*exp({exponent})" if exponent else "")
