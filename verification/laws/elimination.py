"""The equations of stationary moments, solved by elimination in any field."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from sgtheory.independent.fields import Dual, Rows, unit

_SINGULAR = "the equations of the law are singular"


def solve_stationary(M: Rows, Q: Rows, time: str) -> Rows:
    """The moments: P = M P M^T + Q, or M P + P M^T + Q = 0, in n (n + 1)/2 unknowns."""
    if all(type(x) is Fraction for rows in (M, Q) for row in rows for x in row):
        found = solve_stationary(_map(_in_flint, M), _map(_in_flint, Q), time)
        return _map(lambda x: Fraction(int(x.p), int(x.q)), found)
    n = len(M)
    zero = M[0][0] - M[0][0]
    one = unit(zero)

    def coefficient(i: int, j: int, k: int, m: int) -> Any:
        same = one if (i, j) == (k, m) else zero
        if time == "discrete":
            return same - M[i][k] * M[j][m]
        left = M[i][k] if j == m else zero
        right = M[j][m] if i == k else zero
        return zero - left - right

    def both(i: int, j: int, k: int, m: int) -> Any:
        there = coefficient(i, j, k, m)
        return there if k == m else there + coefficient(i, j, m, k)

    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    system = [[both(i, j, k, m) for k, m in pairs] for i, j in pairs]
    solution = dict(zip(pairs, solve_linear(system, [Q[i][j] for i, j in pairs]), strict=True))
    return [[solution[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]


def solve_linear(system: Rows, right: list[Any]) -> list[Any]:
    """The solution of a linear system in any field: of FLINT's numbers by FLINT, else by elimination."""
    n = len(system)
    if all(type(x) is fmpq for row in (*system, right) for x in row):
        entries = fmpq_mat(n, n, [x for row in system for x in row])
        try:
            solved = entries.solve(fmpq_mat(n, 1, right))
        except ZeroDivisionError as error:
            raise ZeroDivisionError(_SINGULAR) from error
        return [solved[k, 0] for k in range(n)]
    rows = [[*row, value] for row, value in zip(system, right, strict=True)]
    zero = rows[0][0] - rows[0][0]
    for k in range(n):
        pivot = next((i for i in range(k, n) if _value(rows[i][k]) != _value(zero)), None)
        if pivot is None:
            raise ZeroDivisionError(_SINGULAR)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        scale = rows[k][k] ** -1
        rows[k] = [zero] * k + [v * scale for v in rows[k][k:]]
        for i in range(n):
            if i != k and rows[i][k] != zero:
                factor = rows[i][k]
                rows[i] = rows[i][:k] + [
                    v - factor * u for v, u in zip(rows[i][k:], rows[k][k:], strict=True)
                ]
    return [row[-1] for row in rows]


def _map(to: Any, rows: Rows) -> Rows:
    return [[to(x) for x in row] for row in rows]


def _in_flint(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Dual) else x
