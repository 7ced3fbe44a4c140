"""Sums over lags of autocovariances, exactly: of the position, and of the squares of its coordinates.

``SIGMA_LAGS`` is the sum of E[theta(t) theta(t + k)^T] over all lags k, or the integral in continuous
time; ``SQUARES_LAGS`` has in place (i, j) the same sum for theta_i^2 and theta_j^2, which for a normal
law is twice that of the squared autocovariances. Divided by what stands at lag 0 they are integrated
autocorrelation times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows, add, inverse, multiply, transpose
from sgtheory.notation.matrixwords import SIGMA
from verification.laws.elimination import solve_stationary
from verification.laws.rational import LawNumbers
from verification.refuter.script import array

SIGMA_LAGS, SQUARES_LAGS = sp.symbols("Sigma_lags Squares_lags", commutative=False)
LAGS = (SIGMA_LAGS.name, SQUARES_LAGS.name)


@dataclass(frozen=True)
class OverLags:
    """The covariances of all states with the position, carried on by one step of a law."""

    law: LawNumbers

    @property
    def _discrete(self) -> bool:
        return self.law.time == "discrete"

    @cached_property
    def _now(self) -> Rows:
        return [row[self.law.here] for row in self.law.moments]

    @cached_property
    def _later(self) -> Rows:
        """Summed over later times, by one linear solve: the powers of a step add up to (I - M)^(-1)."""
        M = enumerate(self.law.step)
        one = int(self._discrete)
        return multiply(
            inverse([[one * (i == j) - x for j, x in enumerate(r)] for i, r in M]), self._now
        )

    @cached_property
    def _later_squares(self) -> list[Rows]:
        """The squares of c(k) = e^T M^k p add up to a diagonal entry of X = M X M^T + p p^T."""
        outer = ([[a * b for b in p] for a in p] for p in transpose(self._now))
        return [solve_stationary(self.law.step, pp, self.law.time) for pp in outer]

    def sums(self, names: set[str]) -> dict[str, Rows]:
        """The sums that some letters stand for."""
        found = {}
        if SIGMA_LAGS.name in names:
            found[SIGMA_LAGS.name] = self._both(self._later[self.law.here], self._now[self.law.here])
        if SQUARES_LAGS.name in names:
            here = range(*self.law.here.indices(len(self.law.step)))
            half = [[X[i][i] for i in here] for X in self._later_squares]
            squares = [[x * x for x in row] for row in self._now[self.law.here]]
            found[SQUARES_LAGS.name] = [[2 * x for x in row] for row in self._both(half, squares)]
        return found

    def _both(self, half: Rows, now: Rows) -> Rows:
        """Later times and earlier ones; of steps the present one is counted once."""
        both = add(half, transpose(half))
        return add(both, [[-x for x in row] for row in now]) if self._discrete else both

    def lines(self, names: set[str]) -> list[str]:
        """The same as lines of a script, which asserts that they belong to its ``M`` and ``P``."""
        here, lines = f"{self.law.here.start}:{self.law.here.stop}", []
        own = f"P[:, {here}]"
        if SIGMA_LAGS.name in names:
            balance = "R == M @ R + " if self._discrete else "0 * R == M @ R + "
            lines += [
                f"R = {array(self._later)}  # covariances with theta, summed over later times",
                f"assert ({balance}{own}).all()",
                f"{SIGMA_LAGS} = R[{here}] + R[{here}].T{f' - {own}[{here}]' * self._discrete}",
            ]
        if SQUARES_LAGS.name in names:
            flow = "M @ x @ M.T + p == x" if self._discrete else "M @ x + x @ M.T + p == 0 * p"
            lines += [
                f"X = [{', '.join(map(array, self._later_squares))}]  # the same of their squares",
                f"for x, c in zip(X, {own}.T):",
                "    p = np.outer(c, c)",
                f"    assert ({flow}).all()",
                f"half = np.array([np.diag(x)[{here}] for x in X])",
                f"{SQUARES_LAGS} = 2 * (half + half.T{f' - {own}[{here}] ** 2' * self._discrete})",
            ]
        return lines


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
