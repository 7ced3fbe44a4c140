"""Sums over lags of autocovariances, exactly: of the position, and of the squares of its coordinates.

``SIGMA_LAGS`` is the sum of E[theta(t) theta(t + k)^T] over all lags k, or the integral in continuous
time; ``SQUARES_LAGS`` has in place (i, j) the same sum for theta_i^2 and theta_j^2, which for a normal
law is twice that of the squared autocovariances. Divided by what stands at lag 0 they are integrated
autocorrelation times.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows, inverse, multiply, transpose, unit
from sgtheory.independent.running import Point, linear_map
from sgtheory.notation.matrixwords import SIGMA
from sgtheory.setting import Setting
from verification.laws.elimination import solve_stationary
from verification.refuter.script import array

SIGMA_LAGS, SQUARES_LAGS = sp.symbols("Sigma_lags Squares_lags", commutative=False)
LAGS = (SIGMA_LAGS.name, SQUARES_LAGS.name)
_POSITION = "theta"


def sums_over_lags(
    setting: Setting, point: Point, time: str, moments: Mapping[str, Rows], names: set[str]
) -> dict[str, Rows]:
    """The sums that some letters stand for, from one step and the moments that it leaves as they are."""
    wanted = [n for n in LAGS if n in names]
    if not wanted:
        return {}
    step, _ = linear_map(setting, time, point)
    columns, first = _columns(setting, moments)
    made = {SIGMA_LAGS.name: _of_positions, SQUARES_LAGS.name: _of_squares}
    return {n: made[n](step, columns, first, time)[0] for n in wanted}


def lag_lines(
    setting: Setting, point: Point, time: str, moments: Mapping[str, Rows], names: set[str]
) -> list[str]:
    """The same as lines of a script, which asserts that they belong to its ``M`` and ``P``."""
    step, _ = linear_map(setting, time, point)
    columns, first = _columns(setting, moments)
    d, lines = len(columns[0]), []
    here, own = f"{first}:{first + d}", f"P[:, {first}:{first + d}]"
    twice = f" - {own}[{here}]" if time == "discrete" else ""
    if SIGMA_LAGS.name in names:
        _, (summed,) = _of_positions(step, columns, first, time)
        balance = "R == M @ R + " if time == "discrete" else "0 * R == M @ R + "
        lines += [
            f"R = {array(summed)}  # covariances with theta, summed over later times",
            f"assert ({balance}{own}).all()",
            f"{SIGMA_LAGS} = R[{here}] + R[{here}].T{twice}",
        ]
    if SQUARES_LAGS.name in names:
        _, squared_sums = _of_squares(step, columns, first, time)
        lines.append(f"X = [{', '.join(array(x) for x in squared_sums)}]  # the same of their squares")
        flow = "M @ x @ M.T + p == x" if time == "discrete" else "M @ x + x @ M.T + p == 0 * p"
        lines.append(f"for x, c in zip(X, {own}.T):")
        lines += ["    p = np.outer(c, c)", f"    assert ({flow}).all()"]
        lines.append(f"half = np.array([np.diag(x)[{here}] for x in X])")
        squared = f" - {own}[{here}] ** 2" if time == "discrete" else ""
        lines.append(f"{SQUARES_LAGS} = 2 * (half + half.T{squared})")
    return lines


def _columns(setting: Setting, moments: Mapping[str, Rows]) -> tuple[Rows, int]:
    """The covariances of all states with the position, and the row in which the position begins."""
    names = [s.name for s in setting.state]
    columns = [row for n in names for row in moments[f"{n},{_POSITION}"]]
    return columns, names.index(_POSITION) * len(columns[0])


def _of_positions(step: Rows, columns: Rows, first: int, time: str) -> tuple[Rows, tuple[Rows]]:
    """By one linear solve: the powers of a step add up to (I - M)^(-1)."""
    zero, d = step[0][0] - step[0][0], len(columns[0])
    one = unit(zero)
    discrete = time == "discrete"
    rest = [
        [(one if i == j and discrete else zero) - x for j, x in enumerate(row)]
        for i, row in enumerate(step)
    ]
    summed = multiply(inverse(rest), columns)
    half = summed[first : first + d]
    both = [
        [a + b for a, b in zip(r, q, strict=True)] for r, q in zip(half, transpose(half), strict=True)
    ]
    if discrete:
        both = [[x - columns[first + i][j] for j, x in enumerate(row)] for i, row in enumerate(both)]
    return both, (summed,)


def _of_squares(step: Rows, columns: Rows, first: int, time: str) -> tuple[Rows, tuple[Rows, ...]]:
    """The squares of c(k) = e^T M^k p add up to a diagonal entry of X = M X M^T + p p^T."""
    d = len(columns[0])
    summed = tuple(
        solve_stationary(step, [[a[j] * b[j] for b in columns] for a in columns], time) for j in range(d)
    )
    half = [[x[first + i][first + i] for i in range(d)] for x in summed]
    found = []
    for i in range(d):
        row = []
        for j in range(d):
            now = columns[first + i][j]
            value = half[i][j] + half[j][i] - (now * now if time == "discrete" else now - now)
            row.append(value + value)
        found.append(row)
    return found, summed


def correlation_time(entry: Any) -> Any:
    """The integrated autocorrelation time of one coordinate: ``entry`` takes a matrix to its entry.

    >>> from verification.laws.quantities import Entry
    >>> correlation_time(lambda m: Entry(m, 0, 0))
    Entry(Sigma_lags, 0, 0)/Entry(Sigma, 0, 0)
    """
    return entry(SIGMA_LAGS) / entry(SIGMA)


def correlation_time_of_square(entry: Any) -> Any:
    """That of the square of one coordinate.

    >>> from verification.laws.quantities import Entry
    >>> correlation_time_of_square(lambda m: Entry(m, 0, 0))
    Entry(Squares_lags, 0, 0)/(2*Entry(Sigma, 0, 0)**2)
    """
    return entry(SQUARES_LAGS) / (2 * entry(SIGMA) ** 2)
