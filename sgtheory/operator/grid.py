"""A box of one to three dimensions with equally spaced nodes, and interpolation between them.

Interpolation is by polynomials through the nearest few nodes of each axis, so that a smooth function is
found to a high power of the spacing. An axis of a positive number may be spaced in its logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True)
class Axis:
    """Nodes of one number, from ``low`` to ``high``; of its logarithm where ``log``."""

    low: float
    high: float
    count: int
    log: bool = False

    @cached_property
    def nodes(self) -> Array:
        """The values at the nodes."""
        u = np.linspace(self.low, self.high, self.count)
        return np.exp(u) if self.log else u

    def refined(self, factor: float, wider: float) -> Axis:
        """More nodes on a wider stretch."""
        more = wider * (self.high - self.low) / 2
        count = int(np.ceil(factor * (1 + wider) * self.count))
        return Axis(self.low - more, self.high + more, count, self.log)

    def weights(self, x: Array, points: int) -> tuple[Array, Array]:
        """For each x the first of some neighbouring nodes, and what each of them counts.

        Beyond the ends nothing counts.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.log(np.maximum(x, 1e-300)) if self.log else np.asarray(x, float)
        place = (u - self.low) / (self.high - self.low) * (self.count - 1)
        inside = (place >= 0) & (place <= self.count - 1)
        place = np.where(inside, place, 0.0)
        first = np.clip(np.floor(place).astype(int) - (points // 2 - 1), 0, self.count - points)
        s = place - first
        counted = np.tile(inside.astype(float), (points, 1))
        for j in range(points):
            for k in range(points):
                if k != j:
                    counted[j] *= (s - k) / (j - k)
        return first, counted


@dataclass(frozen=True)
class Grid:
    """A box of axes."""

    axes: tuple[Axis, ...]
    points: int  # neighbours on each axis

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return int(np.prod([a.count for a in self.axes]))

    @cached_property
    def nodes(self) -> Array:
        """All nodes, (size, dimension)."""
        return np.stack(
            [m.ravel() for m in np.meshgrid(*(a.nodes for a in self.axes), indexing="ij")], axis=1
        )

    def refined(self, factor: float, wider: float = 0.1) -> Grid:
        """More nodes in a larger box."""
        return Grid(tuple(a.refined(factor, wider) for a in self.axes), self.points)

    def interpolation(self, images: tuple[Array, ...]) -> tuple[Array, Array]:
        """Columns and values of the rows that read a function at some points off its nodes."""
        found = [a.weights(x, self.points) for a, x in zip(self.axes, images, strict=True)]
        strides = np.cumprod([1, *(a.count for a in reversed(self.axes[1:]))])[::-1]
        columns, values = [], []
        for offsets in product(range(self.points), repeat=len(self.axes)):
            column = sum(
                (first + k) * stride
                for (first, _), k, stride in zip(found, offsets, strides, strict=True)
            )
            columns.append(column)
            values.append(np.prod([w[k] for (_, w), k in zip(found, offsets, strict=True)], axis=0))
        return np.stack(columns, axis=1), np.stack(values, axis=1)
