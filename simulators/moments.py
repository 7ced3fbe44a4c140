"""Means and covariances, with standard errors, from the sums that a kernel accumulates.

A kernel sums monomials of the state about a centre over each block of chains. From a block's sums
its own covariance follows, and from the scatter of those over the blocks the standard error of the
whole, with no assumption about the law: blocks are independent and equally distributed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

LANES = 64  # chains in a block: part of the meaning of a seed's results, not a tuning knob

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Monomials:
    """The first and second monomials of a state of ``size`` numbers.

    >>> Monomials(2).index.tolist()
    [[0, -1], [1, -1], [0, 0], [0, 1], [1, 1]]
    """

    size: int

    @cached_property
    def index(self) -> Array:
        """The factors of each monomial, -1 where there is none."""
        rows, columns = np.triu_indices(self.size)
        first = np.stack([np.arange(self.size), np.full(self.size, -1)], axis=1)
        return np.concatenate([first, np.stack([rows, columns], axis=1)]).astype(np.int64)

    @property
    def columns(self) -> int:
        """How many numbers a row of the reduction holds."""
        pairs = self.size * (self.size + 1) // 2
        return self.size + 3 * pairs

    def rows(self, sums: Array, chains: int) -> Array:
        """What the reduction adds up: a block's sums, its covariances and their squares.

        ``chains`` is how many chains these blocks hold; a last block that is not full has sums only.
        """
        first, second = sums[:, : self.size], sums[:, self.size :]
        i, j = self.index[self.size :].T
        covariance = (second - first[:, i] * first[:, j] / LANES) / (LANES - 1)
        covariance[chains // LANES :] = 0.0
        return np.concatenate([sums, covariance, covariance**2], axis=1)

    def square(self, entries: Array) -> Array:
        """The symmetric matrix of its upper triangle."""
        matrix = np.empty((self.size, self.size))
        i, j = self.index[self.size :].T
        matrix[i, j] = matrix[j, i] = entries
        return matrix


@dataclass(frozen=True, eq=False)
class Estimates:
    """Mean and covariance of the whole state vector, and their standard errors."""

    mean: Array
    covariance: Array  # divided by the number of chains, about the estimated mean
    mean_error: Array
    covariance_error: Array  # nan where fewer than two blocks are full
    sums: Array  # of the monomials about the centre


def estimate(monomials: Monomials, total: Array, chains: int, centre: Array) -> Estimates:
    """The estimates from the reduction's total."""
    size, pairs = monomials.size, len(monomials.index) - monomials.size
    sums, blocks, squares = np.split(total, [size + pairs, size + 2 * pairs])
    with np.errstate(all="ignore"):  # a diverged ensemble has infinities, and says so
        offset = sums[:size] / chains
        second = monomials.square(sums[size:] / chains)
        covariance = second - offset[:, None] * offset[None, :]
        full = chains // LANES
        errors = np.full(pairs, np.nan)
        if full > 1:
            scatter = np.maximum(squares - blocks**2 / full, 0.0) / (full - 1)
            errors = np.sqrt(scatter * (LANES / chains))
        mean_error = np.full(size, np.nan)
        if chains > 1:
            mean_error = np.sqrt(np.maximum(np.diag(covariance), 0.0) / (chains - 1))
    return Estimates(centre + offset, covariance, mean_error, monomials.square(errors), sums)
