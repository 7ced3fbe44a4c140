"""Exact numbers with square roots: sums of rationals times roots of square-free whole numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any


class Surd:
    """A sum of q sqrt(n) over square-free n. Such roots are independent, so equality is exact.

    >>> (root(Fraction(2)) + 1) * (root(Fraction(2)) - 1)
    Fraction(1, 1)
    >>> root(Fraction(3, 4)) * root(Fraction(6))
    3/2*sqrt(2)
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[int, Fraction]) -> None:
        self.parts = {n: q for n, q in parts.items() if q}

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Surd | Fraction | int):
            return NotImplemented
        total = dict(self.parts)
        for n, q in _parts(other).items():
            total[n] = total.get(n, Fraction(0)) + q
        return _number(total)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Surd | Fraction | int):
            return NotImplemented
        total: dict[int, Fraction] = {}
        for m, p in self.parts.items():
            for n, q in _parts(other).items():
                shared = math.gcd(m, n)
                key = m * n // shared**2
                total[key] = total.get(key, Fraction(0)) + p * q * shared
        return _number(total)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + other * -1

    def __rsub__(self, other: Any) -> Any:
        return self * -1 + other

    def __pow__(self, power: int) -> Any:
        base: Any = self if power >= 0 else self._inverse()
        found: Any = Fraction(1)
        for _ in range(abs(power)):
            found = found * base
        return found

    def __truediv__(self, other: Any) -> Any:
        return self * other**-1

    def __rtruediv__(self, other: Any) -> Any:
        return self._inverse() * other

    def _inverse(self) -> Any:
        """(u + v)^(-1) = (u - v) (u^2 - v^2)^(-1), v the parts with a prime in their root."""
        prime = _prime_of(next(n for n in self.parts if n > 1))
        v = _number({n: q for n, q in self.parts.items() if n % prime == 0})
        u = _number({n: q for n, q in self.parts.items() if n % prime})
        return (u - v) * (u * u - v * v) ** -1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Surd) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(frozenset(self.parts.items()))

    def __float__(self) -> float:
        return sum(float(q) * math.sqrt(n) for n, q in self.parts.items())

    def __repr__(self) -> str:
        return " + ".join(str(q) if n == 1 else f"{q}*sqrt({n})" for n, q in sorted(self.parts.items()))


def root(x: Fraction) -> Any:
    """The square root of a rational number that is not negative."""
    if not isinstance(x, Fraction | int) or x < 0:
        raise TypeError(f"no exact square root of {x}")
    if x == 0:
        return Fraction(0)
    x = Fraction(x)
    outside, inside = _split(x.numerator * x.denominator)
    return _number({inside: Fraction(outside, x.denominator)})


class Rooted:
    """The rationals as a field in which numbers have square roots, for sgtheory.independent.fields.

    >>> Rooted()(3), Rooted().root(Fraction(2))
    (Fraction(3, 1), 1*sqrt(2))
    """

    def __call__(self, n: Any) -> Fraction:
        """A number of the field."""
        return Fraction(n)

    def root(self, x: Any) -> Any:
        """Exact."""
        return root(x)


def _parts(x: Any) -> Mapping[int, Fraction]:
    return x.parts if isinstance(x, Surd) else {1: Fraction(x)}


def _number(parts: Mapping[int, Fraction]) -> Any:
    kept = {n: q for n, q in parts.items() if q}
    return kept.get(1, Fraction(0)) if set(kept) <= {1} else Surd(kept)


@cache
def _split(n: int) -> tuple[int, int]:
    """n = outside^2 inside, inside square-free."""
    outside, inside, p = 1, 1, 2
    while p * p <= n:
        times = 0
        while n % p == 0:
            n, times = n // p, times + 1
        outside, inside = outside * p ** (times // 2), inside * p ** (times % 2)
        p += 1
        whole = math.isqrt(n)
        if whole * whole == n:
            return outside * whole, inside
    return outside, inside * n


def _prime_of(n: int) -> int:
    return next(p for p in range(2, n + 1) if n % p == 0)
