"""Exact values of the kinds that letters are of: drawn at random, and recognised."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import islice

from sgtheory.independent.fields import multiply, transpose
from sgtheory.reader import exact


def triangular_root(m: exact.Matrix) -> exact.Matrix | None:
    """The rational L with L L^T = m, or None.

    >>> one, two = Fraction(1), Fraction(2)
    >>> triangular_root(((one, one), (one, two)))[1]
    (Fraction(1, 1), Fraction(1, 1))
    """
    size = len(m)
    L = [[Fraction(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = m[i][j] - sum((L[i][k] * L[j][k] for k in range(j)), Fraction(0))
            if i != j:
                L[i][j] = rest / L[j][j]
            elif not scalar_is("square", rest):
                return None
            else:
                L[i][i] = exact.root(rest, "")
    return tuple(tuple(row) for row in L)


def random_matrix(kind: str, size: int, source: random.Random, wide: int = 1) -> exact.Matrix:
    """A matrix of a kind, of halves or of what they make, from a range so many times as wide."""

    def full() -> list[list[Fraction]]:
        entries = (Fraction(source.randrange(-6 * wide, 6 * wide + 1), 2) for _ in range(size * size))
        return [list(islice(entries, size)) for _ in range(size)]

    while True:
        rows = full()
        if kind == "positive definite":
            rows = multiply(rows, transpose(rows))
        elif kind == "positive semidefinite":
            rank = source.randrange(size + 1)
            rows = [[x if j < rank else x - x for j, x in enumerate(r)] for r in rows]
            rows = multiply(rows, transpose(rows))
        elif kind == "squared":
            rows = [[x if j <= i else x - x for j, x in enumerate(r)] for i, r in enumerate(rows)]
            rows = multiply(rows, transpose(rows))
        elif kind == "symmetric":
            rows = [[rows[min(i, j)][max(i, j)] for j in range(size)] for i in range(size)]
        elif kind == "rational lengths":
            rows = [_of_rational_length(size, source, wide) for _ in rows]
        elif kind == "antisymmetric":
            rows = [
                [a - b for a, b in zip(r, q, strict=True)]
                for r, q in zip(rows, zip(*rows, strict=True), strict=True)
            ]
        elif kind == "diagonal":
            rows = [[abs(x) if i == j else x - x for j, x in enumerate(r)] for i, r in enumerate(rows)]
        made = tuple(tuple(row) for row in rows)
        if matrix_is(kind, made):
            return made


def _of_rational_length(size: int, source: random.Random, wide: int) -> list[Fraction]:
    """Numbers whose squares add up to a square: a point of a sphere, from the plane, enlarged."""
    flat = [Fraction(source.randrange(-6 * wide, 6 * wide + 1), 2) for _ in range(size - 1)]
    square = sum((x * x for x in flat), Fraction(0))
    scale = Fraction(source.randrange(1, 8 * wide + 1), 2)
    return [scale * x / (square + 1) for x in (*(2 * y for y in flat), square - 1)]


def random_scalar(kind: str, source: random.Random, wide: int = 1) -> Fraction:
    """A number of a kind, from a range so many times as wide."""
    n = 24 * wide
    if kind == "count":
        return Fraction(source.randrange(1, 30 * wide))
    if kind == "square count":
        return Fraction(source.randrange(1, 12 * wide)) ** 2
    if kind == "fraction":
        return Fraction(source.randrange(1, n), n)
    if kind in ("up to one", "unit"):
        return Fraction(source.randrange(kind == "up to one", n + 1), n)
    if kind == "real":
        return Fraction(source.randrange(-2 * n, 2 * n + 1), 12)
    if kind == "nonnegative":
        return Fraction(source.randrange(2 * n + 1), 12)
    if kind == "within one":
        return Fraction(source.randrange(-n, n + 1), n)
    if kind == "zero or one":
        return Fraction(source.randrange(2))
    if kind == "cosquare":
        return 1 - Fraction(source.randrange(1, n), n) ** 2
    if kind == "cosine":
        tangent = Fraction(source.randrange(1, n), n)
        return (1 - tangent**2) / (1 + tangent**2)
    chosen = Fraction(source.randrange(1, n), source.randrange(1, n))
    if kind == "half square":
        return chosen**2 / 2
    return chosen**2 if kind == "square" else chosen


def matrix_is(kind: str, m: exact.Matrix) -> bool:
    """Whether a matrix is of a kind."""
    size = range(len(m))
    symmetric = all(m[i][j] == m[j][i] for i in size for j in range(i))
    if kind == "positive definite":
        return symmetric and exact.is_definite(m, strictly=True)
    if kind == "positive semidefinite":
        return symmetric and exact.is_definite(m, strictly=False)
    if kind == "diagonal":
        return all(m[i][j] == 0 for i in size for j in size if i != j) and all(m[i][i] > 0 for i in size)
    if kind == "antisymmetric":
        return all(m[i][j] == -m[j][i] for i in size for j in range(i + 1))
    if kind == "squared":
        return symmetric and triangular_root(m) is not None
    if kind == "nonzero":
        return any(x != 0 for row in m for x in row)
    if kind == "rational lengths":
        return all(scalar_is("square", sum((x * x for x in row), Fraction(0))) for row in m)
    return symmetric or kind in ("any", "operator")


def scalar_is(kind: str, x: Fraction) -> bool:
    """Whether a scalar is of a kind."""
    if kind == "count":
        return x >= 1 and x.denominator == 1
    if kind == "fraction":
        return 0 < x < 1
    if kind in ("up to one", "unit"):
        return 0 <= x <= 1 and (x > 0 or kind == "unit")
    if kind == "within one":
        return abs(x) <= 1
    if kind == "zero or one":
        return x in (0, 1)
    if kind == "square count":
        return x.denominator == 1 and scalar_is("square", x)
    if kind == "half square":
        return scalar_is("square", 2 * x)
    if kind == "square":
        return x > 0 and exact.root(x, "") ** 2 == x
    if kind == "cosquare":
        return 0 < x < 1 and scalar_is("square", 1 - x)
    if kind == "cosine":
        return 0 < x < 1 and scalar_is("square", 1 - x**2)
    return x > 0 or kind == "real" or (kind == "nonnegative" and x == 0)
