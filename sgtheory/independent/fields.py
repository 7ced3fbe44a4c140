"""Exact arithmetic without simplification: fields, small matrices over them, and expression trees.

A SymPy expression is walked once and evaluated in a field: residues modulo the prime 2^61 - 1 and
fractions, by FLINT or as Python has them, or dual numbers over these (exact derivatives).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import fmpq, fmpq_mat, nmod, nmod_mat
from flint.utils.flint_exceptions import DomainError

PRIME = 2**61 - 1


def residue(n: int) -> nmod:
    """A residue modulo the prime.

    >>> residue(3) ** -1 * 3
    1
    """
    return nmod(n, PRIME)


@dataclass(frozen=True)
class Dual:
    """A number of some field with its derivative: exact differentiation by arithmetic.

    >>> x = Dual(Fraction(3), Fraction(1))
    >>> (x * x) ** -1
    Dual(value=Fraction(1, 9), slope=Fraction(-2, 27))
    """

    value: Any
    slope: Any

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other: Dual) -> Dual:
        return Dual(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other: Dual) -> Dual:
        slope = self.value * other.slope + self.slope * other.value
        return Dual(self.value * other.value, slope)

    def __pow__(self, power: int) -> Dual:
        base = self if power >= 0 else self._inverse()
        found = Dual(self.value**0, self.value - self.value)
        for _ in range(abs(power)):
            found = found * base
        return found

    def _inverse(self) -> Dual:
        one = self.value**-1
        return Dual(one, self.value - self.value - self.slope * one * one)


def dual(n: int | Fraction) -> Dual:
    """A constant as a dual number."""
    return Dual(Fraction(n), Fraction(0))


@dataclass(frozen=True)
class Itself:
    """A value that stands in a table of square roots although its root is not known.

    Even powers are those of the value; an odd power has no value and is refused.
    """

    value: Any

    def __pow__(self, power: int) -> Any:
        if power % 2:
            raise TypeError("the square root of this number is not in its field")
        return self.value ** (power // 2)


class Surd:
    """A fraction times the square root of another: what stands in front of a noise at an exact place.

    Only its products with its like are fractions again, and so is the covariance of one noise that
    has one root in front of it wherever it goes. Other sums are refused.

    >>> x = Surd(fmpq(3), fmpq(2))
    >>> x * x, x * x + 1, (x + x) * x
    (18, 19, 36)
    """

    __slots__ = ("front", "square")

    def __init__(self, front: fmpq, square: fmpq) -> None:
        self.front, self.square = front, square

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Surd):
            return Surd(self.front * other, self.square) if other != 0 else fmpq(0)
        try:
            both = _root(self.square * other.square)
        except TypeError:
            return Surd(self.front * other.front, self.square * other.square)
        return self.front * other.front * both

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Surd):
            if other == 0:
                return self
            raise TypeError("a root and a fraction have no sum in the field")
        front = self.front + other.front * _root(other.square / self.square)
        return Surd(front, self.square) if front != 0 else front

    __rmul__, __radd__ = __mul__, __add__

    def __sub__(self, other: Any) -> Any:
        return self + other * -1

    def __rsub__(self, other: Any) -> Any:
        return self * -1 + other

    def __pow__(self, power: int) -> Any:
        even = (self.front * self.front * self.square) ** (power // 2)
        return self * even if power % 2 else even


class _Surds:
    """Fractions of FLINT's, with a ``Surd`` for a root that is none; called as a field is."""

    def __call__(self, n: Any) -> fmpq:
        return n if isinstance(n, fmpq) else fmpq(*n.as_integer_ratio())

    def root(self, value: Any) -> Any:
        """The square root: a fraction where it is one."""
        try:
            return _root(value)
        except TypeError:
            if isinstance(value, fmpq) and value > 0:
                return Surd(fmpq(1), value)
            raise


class NotReal(TypeError):
    """The root of a negative number: what has it does not exist there."""


def _root(value: Any) -> Any:
    try:
        return value.sqrt()
    except DomainError as error:
        if isinstance(value, fmpq) and value < 0:
            raise NotReal(f"a negative number, {value}, has no real root") from error
        raise TypeError(f"the field has no square root of {value}") from error


SURDS = _Surds()


def evaluate(expr: Any, roots: Mapping[Any, Any], field: Any = residue) -> Any:
    """The value of a scalar expression. ``roots`` gives the square root of every symbol.

    >>> x = sp.Symbol("x", positive=True)
    >>> evaluate(sp.sqrt(x) / x + 1, {x: Fraction(2)}, Fraction)
    Fraction(3, 2)
    """
    if isinstance(expr, sp.Rational):
        return field(int(expr.p)) * field(int(expr.q)) ** -1
    if isinstance(expr, sp.Symbol):
        return roots[expr] ** 2
    if isinstance(expr, sp.Add):
        return total((evaluate(a, roots, field) for a in expr.args), field(0))
    if isinstance(expr, sp.Mul):
        product, factors = field(1), list(expr.args)
        halves = [a for a in factors if a.is_Pow and a.exp.is_Rational and a.exp.q == 2]
        if any(isinstance(roots.get(a.base), Itself) for a in halves):  # sqrt(2) sqrt(x) is sqrt(2 x)
            inside = [evaluate(a.base, roots, field) ** int(2 * a.exp) for a in halves]
            product = square_root(math.prod(inside), field)
            factors = [a for a in factors if a not in halves]
        for arg in factors:
            product = product * evaluate(arg, roots, field)
        return product
    if isinstance(expr, sp.Pow):
        base, power = expr.args
        if power.is_Integer:
            return evaluate(base, roots, field) ** int(power)
        if isinstance(base, sp.Symbol) and (2 * power).is_Integer:
            return roots[base] ** int(2 * power)
        if (2 * power).is_Integer:
            return square_root(evaluate(base, roots, field), field) ** int(2 * power)
    raise TypeError(f"the independent evaluator has no rule for {sp.srepr(expr)}")


def square_root(value: Any, field: Any) -> Any:
    """A square root in the field, where it has one.

    >>> square_root(Fraction(9, 4), Fraction)
    Fraction(3, 2)
    """
    if hasattr(field, "root"):
        return field.root(value)
    if isinstance(value, float):
        return math.sqrt(value)
    if isinstance(value, Dual):
        first = square_root(value.value, type(value.value))
        return Dual(first, value.slope * (first + first) ** -1)
    if isinstance(value, Decimal):
        return value.sqrt()
    if isinstance(value, nmod):
        return _root(value)
    if isinstance(value, Fraction):
        above, below = (math.isqrt(max(n, 0)) for n in (value.numerator, value.denominator))
        root: Any = Fraction(above, below)
    else:
        root = field(math.isqrt(max(int(value), 0))) if isinstance(value, int) else value
    if root * root != value:
        raise TypeError(f"the field has no square root of {value}")
    return root


Rows = list[list[Any]]


def matrix_of(rows: Rows) -> Any:
    """As FLINT's matrix, over fractions or residues; other fields it has not.

    >>> matrix_of([[Fraction(1, 2), 1], [3, 4]]).det()
    -1
    """
    found = _known(rows)
    if found is None:
        raise TypeError(f"{type(rows[0][0]).__name__} is no fraction")
    return found


def _known(rows: Rows) -> Any:
    entries = [x for row in rows for x in row]
    kinds = set(map(type, entries))
    if kinds == {nmod}:
        return nmod_mat(len(rows), len(rows[0]), entries, PRIME)
    if kinds <= {Fraction, int}:
        entries = [fmpq(*x.as_integer_ratio()) for x in entries]
    elif kinds != {fmpq}:
        return None
    return fmpq_mat(len(rows), len(rows[0]) if rows else 0, entries)


def _rows(matrix: Any, like: Rows) -> Rows:
    """The rows of FLINT's matrix, in Python's fractions where others are."""
    table: Rows = matrix.table()
    if isinstance(like[0][0], (fmpq, nmod)):
        return table
    return [[as_fraction(x) for x in row] for row in table]


def as_fraction(x: fmpq) -> Fraction:
    """FLINT's number as Python's, which would look for common factors again: half of the time.

    >>> as_fraction(fmpq(-4, 6))
    Fraction(-2, 3)
    """
    found: Any = object.__new__(Fraction)
    found._numerator, found._denominator = int(x.p), int(x.q)
    return found


def multiply(x: Rows, y: Rows) -> Rows:
    """The matrix product, by FLINT in its fields.

    >>> multiply([[Fraction(1, 2), Fraction(1)]], [[Fraction(4)], [Fraction(1, 3)]])
    [[Fraction(7, 3)]]
    """
    left, right = _known(x), _known(y)
    if left is not None and type(left) is type(right):
        return _rows(left * right, x)
    columns = list(zip(*y, strict=True))
    return [[dot(row, column) for column in columns] for row in x]


def kronecker(a: Any, b: Any) -> Any:
    """Of FLINT's matrices: what takes P, row after row, to a P b^T.

    >>> one, two = (matrix_of([[Fraction(n)]]) for n in (1, 2))
    >>> kronecker(one, two)
    [2]
    """
    left, right = a.table(), b.table()
    return matrix_of([[x * y for x in r for y in q] for r in left for q in right])


def dot(x: Any, y: Any) -> Any:
    """The sum of the products of two rows, which are not empty.

    >>> dot((1, 2), (3, 4))
    11
    """
    products = (a * b for a, b in zip(x, y, strict=True))
    return total(products, next(products))


def transpose(x: Rows) -> Rows:
    """The transpose."""
    return [list(c) for c in zip(*x, strict=True)]


def total(terms: Any, zero: Any) -> Any:
    """The sum, from a given zero of the field."""
    for term in terms:
        zero = zero + term
    return zero


def add(x: Rows, y: Rows) -> Rows:
    """The matrix sum."""
    return [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(x, y, strict=True)]


def unit(zero: Any) -> Any:
    """The one that belongs to a zero (not every field has 0**0)."""
    if hasattr(zero, "field"):  # a rational function, of which SymPy takes no power 0 at 0
        return zero.field.one
    return Decimal(1) if isinstance(zero, Decimal) else zero**0


def inverse(x: Rows) -> Rows:
    """The inverse, by FLINT; of dual numbers V + W e it is U - U W U e with U the inverse of V.

    >>> inverse([[Dual(Fraction(2), Fraction(1))]])
    [[Dual(value=Fraction(1, 2), slope=Fraction(-1, 4))]]
    """
    if isinstance(x[0][0], Dual):
        U = inverse([[v.value for v in row] for row in x])
        W = multiply(U, multiply([[v.slope for v in row] for row in x], U))
        return [
            [Dual(u, w - w - w) for u, w in zip(r, s, strict=True)] for r, s in zip(U, W, strict=True)
        ]
    return _rows(matrix_of(x).inv(), x)


def units(vectors: Sequence[Any], others: Sequence[Any], size: int, number: Any) -> dict[Any, Rows]:
    """A run for each coordinate of some vectors, in which it is one; all others are zero."""
    runs, zero, one = len(vectors) * size, number(0), number(1)
    found = dict.fromkeys(others, [[zero] * runs] * size)
    for k, vector in enumerate(vectors):
        found[vector] = [[one if j == k * size + i else zero for j in range(runs)] for i in range(size)]
    return found
