"""Strategies for numbers and matrices: exact, small, and made rather than filtered.

A positive-definite matrix is drawn as scale (c I + sum of v v^T) with integer vectors v. What is
added to c I has eigenvalues from 0 to its trace, so c >= trace / (k - 1) keeps the condition
number at most k; and with the list of vectors it all shrinks to the identity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sgtheory.errors import UnusableInput
from sgtheory.independent.fields import inverse
from sgtheory.reader.exact import Matrix

Number = int | Fraction | str | float
_ENTRIES = st.integers(-3, 3)
_SCALES = (1, 2, Fraction(1, 2), 3, Fraction(1, 3), Fraction(3, 2), Fraction(2, 3))


def _clean(rows: Sequence[Sequence[Any]]) -> Matrix:
    return tuple(tuple(Fraction(x) for x in row) for row in rows)


@st.composite
def rationals(
    draw: Any, height: int, least: Number | None = None, most: Number | None = None
) -> Fraction:
    """Fractions whose numerator and denominator are at most ``height``, between two bounds.

    Shrinks to whole numbers, and among them to the one nearest to 0.

    >>> from verification.strategies import minimal
    >>> minimal(rationals(9, least="1/3", most=2), lambda x: x.denominator > 2)
    Fraction(1, 3)
    """
    low = -Fraction(height) if least is None else max(Fraction(least), -Fraction(height))
    high = Fraction(height) if most is None else min(Fraction(most), Fraction(height))
    tops = {q: (math.ceil(low * q), math.floor(high * q)) for q in range(1, height + 1)}
    tops = {q: (max(a, -height), min(b, height)) for q, (a, b) in tops.items()}
    possible = [q for q, (a, b) in tops.items() if a <= b]
    if not possible:
        raise UnusableInput(f"a fraction of height {height}", f"[{low}, {high}]", "raise the height")
    q = draw(st.sampled_from(possible))
    return Fraction(draw(st.integers(*tops[q])), q)


def batch_sizes(N: int) -> st.SearchStrategy[int]:
    """Sizes S of a minibatch of N examples, from 1 to N; shrinks to 1."""
    return st.integers(1, N)


def _vectors(dimension: int, most: int, least: int = 0) -> st.SearchStrategy[list[list[int]]]:
    vector = st.lists(_ENTRIES, min_size=dimension, max_size=dimension)
    return st.lists(vector, min_size=least, max_size=most)


def _gram(vectors: Sequence[Sequence[int]], dimension: int) -> list[list[int]]:
    return [[sum(v[i] * v[j] for v in vectors) for j in range(dimension)] for i in range(dimension)]


def _is_scalar(m: Sequence[Sequence[Any]]) -> bool:
    return all(x == (m[0][0] if i == j else 0) for i, row in enumerate(m) for j, x in enumerate(row))


def _about(m: Sequence[Sequence[int]], condition: Fraction | None, c: int, extreme: bool) -> Fraction:
    """How much of the identity to add: enough for the condition number, and exactly if extreme."""
    trace = sum(m[k][k] for k in range(len(m)))
    least = Fraction(trace) / (condition - 1) if condition is not None and trace else Fraction(0)
    return least if extreme and least else Fraction(max(c, math.ceil(least)))


def _bound(condition: Number | None) -> Fraction | None:
    if condition is None:
        return None
    bound = Fraction(condition)
    if bound < 1:
        raise UnusableInput("a condition number from 1", str(condition), "give 1 for multiples of I")
    return bound


@st.composite
def _definite(
    draw: Any, dimension: int, condition: Number | None, vectors: list[list[int]] | None = None
) -> Matrix:
    bound = _bound(condition)
    if bound == 1:
        m = _gram([], dimension)
    else:
        m = _gram(draw(_vectors(dimension, dimension)) if vectors is None else vectors, dimension)
    c = draw(st.integers(1, 3))
    extreme = bound is not None and draw(st.booleans())
    shift, scale = _about(m, bound, c, extreme), draw(st.sampled_from(_SCALES))
    return _clean([[scale * (x + shift * (i == j)) for j, x in enumerate(r)] for i, r in enumerate(m)])


def spd(dimension: int, condition: Number | None = None) -> st.SearchStrategy[Matrix]:
    """Symmetric positive-definite matrices of exact rationals, of condition number at most this.

    Condition numbers up to the bound itself are reached. Shrinks to the identity.

    >>> from verification.strategies import minimal
    >>> np.array(minimal(spd(2, condition=10), lambda A: A[0][1] != 0), int).tolist()
    [[2, 1], [1, 2]]
    """
    return _definite(dimension, condition)


@st.composite
def spd_floats(draw: Any, dimension: int, condition: float = 1e6) -> Any:
    """The same as a NumPy array of floats: any orthogonal basis, eigenvalues from 1 to ``condition``.

    The condition number keeps its bound up to rounding. Shrinks to the identity.
    """
    _bound(condition)
    logs = st.floats(0, 1)
    eigenvalues = [condition ** draw(logs) for _ in range(dimension)]
    m = np.diag(eigenvalues)
    entries = st.lists(st.floats(-1, 1), min_size=dimension, max_size=dimension)
    for vector in draw(st.lists(entries, max_size=dimension - 1)):
        v = np.array(vector)
        if (length := float(v @ v)) > 1e-9:  # a shorter one leaves the basis as it is
            reflection = np.eye(dimension) - 2 / length * np.outer(v, v)
            m = reflection @ m @ reflection
    return (m + m.T) / 2


@st.composite
def noises(draw: Any, dimension: int, rank: int | None = None) -> Matrix:
    """Covariances of exactly this rank (any from 1 where none is given): sums of v v^T.

    The vectors stand in echelon form, which makes them independent. Shrinks to a diagonal of ones
    and zeros.

    >>> from verification.strategies import minimal
    >>> np.array(minimal(noises(3, rank=1), lambda C: C[0][1] != 0), int).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 0, 0]]
    """
    if rank is None:
        rank = draw(st.sampled_from(range(dimension, 0, -1)))
    if not 0 <= rank <= dimension:
        raise UnusableInput(f"a rank from 0 to {dimension}", str(rank), "change it")
    return _clean(_gram(draw(_echelon(dimension, rank)), dimension))


@st.composite
def factors(draw: Any, dimension: int) -> list[list[int]]:
    """D integer vectors v, of which as many as wanted vanish: C = sum of v v^T, its factor known."""
    rank = draw(st.sampled_from(range(dimension, 0, -1)))
    return [*draw(_echelon(dimension, rank)), *([0] * dimension for _ in range(dimension - rank))]


@st.composite
def _echelon(draw: Any, dimension: int, rank: int) -> list[list[int]]:
    """Independent integer vectors: each has its pivot where no later one has anything.

    As much is drawn for a low rank as for a full one, so that neither is the simpler choice.
    """
    gaps = draw(st.lists(st.integers(0, dimension), min_size=dimension, max_size=dimension))
    shifts = sorted(min(gap, dimension - rank) for gap in gaps[:rank])
    rows = draw(_vectors(dimension, dimension, dimension))
    sizes = draw(st.lists(st.integers(1, 3), min_size=dimension, max_size=dimension))
    found = []
    for k, shift in enumerate(shifts):
        p = k + shift
        found.append([0] * p + [sizes[k], *rows[k][p + 1 :]])
    return found


def gains(
    dimension: int, condition: Number | None = None, diagonal: bool = False
) -> st.SearchStrategy[Matrix]:
    """Positive-definite gains H, diagonal ones if asked; shrinks to the identity."""
    if not diagonal:
        return spd(dimension, condition)
    bound = _bound(condition)
    top = 4 if bound is None else min(bound, Fraction(4))
    entries = st.lists(rationals(4, 1, top), min_size=dimension, max_size=dimension)
    return entries.map(
        lambda d: _clean([[x if i == j else 0 for j in range(len(d))] for i, x in enumerate(d)])
    )


@st.composite
def commuting_pairs(draw: Any, dimension: int, condition: Number | None = None) -> tuple[Matrix, Matrix]:
    """Two positive-definite matrices that commute, both of condition number at most this.

    Both are a I + b M + c M^(-1) of one matrix M, which no choice of a, b, c >= 0 conditions worse
    than M. Shrinks to the identity, twice.

    >>> from verification.strategies import minimal
    >>> pair = minimal(commuting_pairs(2), lambda pair: pair[0] != pair[1])
    >>> [np.array(m, int).tolist() for m in pair]
    [[[1, 0], [0, 1]], [[2, 0], [0, 2]]]
    """
    m = [list(row) for row in draw(spd(dimension, condition))]
    back = inverse(m)
    found = []
    for _ in range(2):
        a = draw(st.integers(0, 3))
        b = draw(st.integers(0, 3))
        c = draw(st.integers(0, 1))
        a += not (a or b or c)
        found.append(
            _clean(
                [
                    [a * (i == j) + b * m[i][j] + c * back[i][j] for j in range(dimension)]
                    for i in range(dimension)
                ]
            )
        )
    return found[0], found[1]


@st.composite
def noncommuting_pairs(
    draw: Any, dimension: int, condition: Number | None = None
) -> tuple[Matrix, Matrix]:
    """Two positive-definite matrices that do not commute, both of condition number at most this.

    Where the second is drawn so that it commutes with A, v v^T is added to it for a v that is no
    eigenvector of A: that alone changes the commutator.
    """
    bound = _bound(condition)
    if dimension < 2 or bound == 1:
        raise UnusableInput(
            "two dimensions and a condition number above 1",
            f"{dimension} and {condition}",
            "matrices of one dimension, or multiples of I, all commute",
        )
    first = draw(_vectors(dimension, dimension))
    if _is_scalar(_gram(first, dimension)):
        first = [*first, _unit(dimension, dimension - 1)]
    A = draw(_definite(dimension, condition, first))
    second = draw(_vectors(dimension, dimension))
    if _commute(A, _gram(second, dimension)):
        second = [*second, _no_eigenvector(A)]
    return A, draw(_definite(dimension, condition, second))


def _unit(dimension: int, *places: int) -> list[int]:
    return [int(k in places) for k in range(dimension)]


def _commute(a: Any, b: Any) -> bool:
    n = range(len(a))
    product = [[sum(a[i][k] * b[k][j] for k in n) for j in n] for i in n]
    return all(product[i][j] == product[j][i] for i in n for j in n)  # of symmetric matrices


def _no_eigenvector(A: Matrix) -> list[int]:
    """A unit vector, or a sum of two: one of them is no eigenvector, unless A is a multiple of I."""
    n = len(A)
    sums = [_unit(n, i, j) for i in range(n) for j in range(i, n)]
    for v in sums:
        moved = [sum(x * y for x, y in zip(row, v, strict=True)) for row in A]
        if any(moved[i] * v[j] != moved[j] * v[i] for i in range(n) for j in range(n)):
            return v
    raise AssertionError("a multiple of the identity")
