"""Semidefinite programmes by Clarabel: combinations of symmetric matrices that are positive.

What comes back is in floating point: whoever proves something with it makes it exact, and checks that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

Array = Any
Powers = tuple[int, ...]
Symmetric = Mapping[tuple[int, int], Any]  # a number to each place that is not zero


def inside(
    first: Symmetric, matrices: Sequence[Symmetric], size: int, margin: float, goal: int | None = None
) -> Array | None:
    """Unknowns z for which first + sum_k z_k matrices_k has no eigenvalue below a margin.

    The unknown whose number is ``goal`` is as large as it may be, or else all of them are small. None
    where the solver finds none; where there are no unknowns, there is nothing to be found.

    >>> off_diagonal = {(0, 1): 1.0, (1, 0): 1.0}
    >>> round(float(inside({(0, 0): 1.0, (1, 1): 4.0}, [off_diagonal], 2, 0.0, goal=0)[0]), 5)
    2.0
    >>> inside({(0, 0): -1.0}, [off_diagonal], 2, 0.0) is None
    True
    """
    import clarabel
    from scipy import sparse

    count = len(matrices)
    if not count:
        return np.zeros(0)
    triangles = [_triangle(m) for m in matrices]
    places = [(row, k) for k, column in enumerate(triangles) for row in column]
    values = [-x for column in triangles for x in column.values()]
    rows, columns = ([p[n] for p in places] for n in (0, 1))
    height = size * (size + 1) // 2
    A = sparse.csc_matrix((values, (rows, columns)), shape=(height, count))
    right = np.zeros(height)
    for row, x in _triangle(first).items():
        right[row] = x
    right[[i * (i + 3) // 2 for i in range(size)]] -= margin
    quadratic = sparse.identity(count, format="csc") * float(goal is None)
    linear = -np.eye(count)[goal] if goal is not None else np.zeros(count)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.PSDTriangleConeT(size)]
    found = clarabel.DefaultSolver(quadratic, linear, A, right, cones, settings).solve()
    is_found = found.status in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved)
    return np.array(found.x) if is_found else None


def cells(exponents: Sequence[Powers]) -> dict[Powers, list[tuple[int, int]]]:
    """Of the matrix of squares z z^T of some monomials z: where each product stands.

    >>> cells([(0,), (1,)])
    {(0,): [(0, 0)], (1,): [(0, 1), (1, 0)], (2,): [(1, 1)]}
    """
    found: dict[Powers, list[tuple[int, int]]] = {}
    for i, j in product(range(len(exponents)), repeat=2):
        found.setdefault(tuple(map(int.__add__, exponents[i], exponents[j])), []).append((i, j))
    return found


def slack(places: Iterable[Sequence[tuple[int, int]]]) -> list[dict[tuple[int, int], Fraction]]:
    """A basis of the symmetric M with z^T M z = 0: from the first place of a product to another one."""

    def at(i: int, j: int, sign: int) -> dict[tuple[int, int], Fraction]:
        return dict.fromkeys(((i, j), (j, i)), Fraction(sign, 1 if i == j else 2))

    upper = ([cell for cell in same if cell[0] <= cell[1]] for same in places)
    return [{**at(*first, 1), **at(*other, -1)} for first, *others in upper for other in others]


def _triangle(matrix: Symmetric) -> dict[int, float]:
    """The upper triangle, column by column; off the diagonal times sqrt(2), so that norms are kept."""
    return {
        j * (j + 1) // 2 + i: float(x) * (1.0 if i == j else 2**0.5)
        for (i, j), x in matrix.items()
        if i <= j
    }
