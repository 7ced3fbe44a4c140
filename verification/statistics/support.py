"""Where a Gaussian law lives: the directions that vary, whitened, and those in which nothing may happen.

Noise of low rank leaves directions with no variance at all. There a sample must not vary either, up to
the rounding of the states and of their sums; that is tested, and all other tests are in the range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.statistics.quadratic import chi_square

Array = Any

_BLOCK = 64  # chains whose products are summed one after another, before sums go up a tree


@dataclass(frozen=True, eq=False)
class Support:
    """Of a law with some mean and covariance, estimated from so many chains."""

    mean: Array
    covariance: Array
    whiten: Array  # rows: y = whiten @ (x - mean) is standard normal, one number to each row
    outside: Array  # rows: directions that do not vary, x measured in ``unit``
    left: float  # the largest variance in them: 0, or so small that rounding hides it
    rounding: float  # at most this is a squared number that should be 0, in squared units

    @classmethod
    def of(
        cls, mean: Array, covariance: Array, chains: int, dtype: str = "float64", steps: int = 100
    ) -> Support:
        """``steps`` of the type ``dtype`` were carried out, each of which rounds a state.

        >>> thin = Support.of(np.zeros(2), np.array([[1.0, 2.0], [2.0, 4.0]]), 1000)
        >>> thin.rank, len(thin.outside)
        (1, 1)
        """
        deviations = np.sqrt(np.clip(np.diag(covariance), 0, None))
        unit = np.hypot(deviations, np.abs(mean))
        # beside numbers of another size a mean is known to their last places, and its square is a number
        least = math.sqrt(np.finfo(float).eps) * unit.max() or 1.0
        unit = np.where(deviations > 0, deviations, np.maximum(unit, least))
        relative = covariance / np.outer(unit, unit)
        # products, sums over a block and up the tree, and the covariance about another centre
        sums = (_BLOCK + math.log2(max(chains, 2)) + 8) * np.finfo(float).eps * len(mean)
        size = np.hypot(1, np.abs(mean) / unit).max() ** 2
        one = size * ((len(mean) + 3) * float(np.finfo(dtype).eps)) ** 2
        # at worst all roundings point the same way; those of states that vary are independent
        rounding, usual = sums + one * max(steps, 1) ** 2, sums + one * max(steps, 1)
        values, vectors = np.linalg.eigh(relative)
        # a variance is tested where rounding moves it by less than a hundredth of its standard error
        kept = values > 100 * usual * math.sqrt(chains / 2)
        whiten = (vectors[:, kept] / np.sqrt(values[kept])).T / unit
        left = max(float(values[~kept].max(initial=0.0)), 0.0)
        return cls(mean, covariance, whiten, vectors[:, ~kept].T / unit, left, rounding)

    @property
    def rank(self) -> int:
        """How many directions vary."""
        return len(self.whiten)

    def whitened(self, mean: Array, about: Array) -> tuple[Array, Array]:
        """The sample's mean and its second moments about the exact mean: 0 and I but for chance."""
        return self.whiten @ (mean - self.mean), self.whiten @ about @ self.whiten.T

    def leak(self, about: Array) -> float:
        """The largest second moment that a sample has outside, in squared units."""
        if not len(self.outside):
            return 0.0
        return float(np.trace(self.outside @ about @ self.outside.T))

    def leak_p_value(self, about: Array, chains: int) -> float:
        """At least the probability of so much outside: 1 within rounding; then 0 if nothing varies."""
        excess = self.leak(about) - len(self.outside) * self.rounding
        if excess <= 0:
            return 1.0
        if self.left <= np.finfo(float).eps * self.rounding:
            return 0.0
        # a sum of squares of variance at most ``left`` is at most that times a chi-square
        ratio = excess * chains / self.left
        return chi_square(chains * len(self.outside)).tails(ratio)[1]
