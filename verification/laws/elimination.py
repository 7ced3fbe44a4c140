"""The equations of stationary moments, solved by FLINT in fractions."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat

from sgtheory.independent.fields import Rows, as_fraction, matrix_of


def solve_stationary(M: Rows, Q: Rows, time: str) -> Rows:
    """The moments, in n (n + 1)/2 unknowns: P = M P M^T + Q, or M P + P M^T + Q = 0.

    >>> from fractions import Fraction
    >>> half = [[Fraction(1, 2)]]
    >>> solve_stationary(half, half, "discrete")
    [[Fraction(2, 3)]]
    """
    n, zero = len(M), fmpq(0)
    M, Q = (matrix_of(rows).table() for rows in (M, Q))

    def coefficient(i: int, j: int, k: int, m: int) -> Any:
        if time == "discrete":
            return zero + int((i, j) == (k, m)) - M[i][k] * M[j][m]
        return zero - (M[i][k] if j == m else 0) - (M[j][m] if i == k else 0)

    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    entries = [
        coefficient(i, j, k, m) + (0 if k == m else coefficient(i, j, m, k))
        for i, j in pairs
        for k, m in pairs
    ]
    size, right = len(pairs), [Q[i][j] for i, j in pairs]
    try:
        solved = fmpq_mat(size, size, entries).solve(fmpq_mat(size, 1, right))
    except ZeroDivisionError as error:
        raise ZeroDivisionError("the equations of the law are singular") from error
    values = (solved[k, 0] for k in range(size))
    found = {pair: as_fraction(x) for pair, x in zip(pairs, values, strict=True)}
    return [[found[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]
