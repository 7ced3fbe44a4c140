"""One ensemble held against one exact law, coordinates that stand still included.

Where noise has a low rank, some coordinates have no variance: exactly none, but in floating point a
rounding error, which no test of a ratio survives. They are told by their size and must stand still.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.numbers.lawrecord import NumericLaw
from sgtheory.problem import Problem
from verification.measuring.ensembles import stack
from verification.statistics import Comparison, compare

Array = Any

# Of the largest variance of a state: the law's rounding is some 1e-15 of that, the ensemble's, whose
# states are rounded at each step and squared, much less. What is real is larger in every problem here.
_NOTHING = 1e-12
_STILL = 1e-9


@dataclass(frozen=True)
class Outcome:
    """One problem, all tests of its ensemble, and the coordinates that move but should not."""

    problem: Problem
    comparison: Comparison
    moving: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether a test rejects, or something moves that should not."""
        return bool(self.moving) or not self.comparison.agrees

    @property
    def words(self) -> str:
        """What is wrong, most of all."""
        if self.moving:
            return f"{self.moving[0]}: moves, and should not"
        worst = self.comparison.worst
        return f"{worst.name}: off by {100 * worst.effect:+.3g} %, p = {worst.p_value:.2g}"


@dataclass(frozen=True)
class Target:
    """A law to be hit: its numbers stacked, with exact zeros where a coordinate stands still."""

    states: tuple[str, ...]
    names: tuple[str, ...]
    mean: Array
    covariance: Array
    still: Array  # a truth value to each coordinate
    scale: Array  # the largest variance of the coordinate's state, and its mean squared

    @classmethod
    def of(cls, exact: NumericLaw) -> Target:
        """The target that a law is."""
        names, mean, covariance = stack(exact)
        variances = np.diag(covariance).reshape(len(exact.states), -1)
        largest = np.repeat(variances.max(axis=1), variances.shape[1])
        still = np.diag(covariance) <= _NOTHING * largest
        if still.all():
            raise UnusableInput(
                "a problem with noise in it", f"none after {exact.at} steps", "give it noise"
            )
        covariance = np.where(still[:, None] | still[None, :], 0.0, covariance)
        return cls(exact.states, names, mean, covariance, still, largest + mean**2)

    def threshold(self, false_alarm: float) -> float:
        """The p-value below which a single test will reject: from the law held against itself."""
        itself = (self.mean, self.covariance, self.mean, self.covariance)
        return compare(*itself, 10_000, false_alarm, self.names).threshold

    def hold(self, problem: Problem, ensemble: Any, false_alarm: float) -> Outcome:
        """All tests of an ensemble."""
        mean = np.concatenate([ensemble.mean[s] for s in self.states])
        blocks = [[_block(ensemble.covariance, a, b) for b in self.states] for a in self.states]
        covariance = np.block(blocks)
        found = compare(
            mean, covariance, self.mean, self.covariance, ensemble.chains, false_alarm, self.names
        )
        spread = np.diag(covariance) + (mean - self.mean) ** 2
        moves = self.still & ~(spread <= _STILL * self.scale)  # so that NaN moves
        return Outcome(problem, found, tuple(n for n, m in zip(self.names, moves, strict=True) if m))


def _block(blocks: Any, a: str, b: str) -> Array:
    return blocks[f"{a},{b}"] if f"{a},{b}" in blocks else blocks[f"{b},{a}"].T
