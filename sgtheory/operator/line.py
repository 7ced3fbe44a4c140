"""The law of a chain on a line whose noise is normal: its transition density on equally spaced nodes.

No node lies at 0, where a sign may jump. Nodes are doubled, and by how much a mean changes is its error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput

Array = Any
Function = Callable[[Array], Array]

_MOST, _WIDENED = 900, 14  # nodes, and how often a box is widened
_LEAK = 1e-11


@dataclass(frozen=True)
class LineStep:
    """To ``push(x') = moved(x) + spread(x) xi``; ``slope`` is that of push."""

    moved: Function
    spread: Function
    push: Function
    slope: Function


@dataclass(frozen=True)
class LineLaw:
    """Weights of nodes, for two numbers of them."""

    coarse: tuple[Array, Array]
    fine: tuple[Array, Array]

    def expect(self, f: Function) -> tuple[float, float]:
        """The mean of a function, and how far it may be off."""
        first, second = (float(w @ (np.zeros(len(x)) + f(x))) for x, w in (self.coarse, self.fine))
        return second, abs(second - first) + 1e-11 * (1 + abs(second))


def settled(step: LineStep, per_spread: float = 1.3) -> LineLaw:
    """The law that a step leaves as it is.

    >>> one = lambda x: 1 + 0 * x
    >>> law = settled(LineStep(lambda x: x / 2, lambda x: 0.5**0.5 * one(x), lambda y: y, one))
    >>> value, error = law.expect(lambda x: x**2)
    >>> abs(value - 2 / 3) < 1e-9, error < 1e-9
    (True, True)
    """
    coarse, half = _in_a_box(lambda half: _law(step, half, per_spread))
    return LineLaw(coarse, _law(step, half, 2 * per_spread))


def _in_a_box(law: Callable[[float], tuple[Array, Array]]) -> tuple[tuple[Array, Array], float]:
    """A law in the first box that holds it, and half the width of that."""
    half = 4.0
    for _ in range(_WIDENED):
        x, w = law(half)
        outside = w[abs(x) > 0.8 * half].sum()
        if abs(outside) < _LEAK:
            return (x, w), half
        half *= 1.5
    raise UnusableInput("a law in a bounded box", f"{outside:.1g} of it outside {half:.3g}", "mend it")


def followed(
    after: Callable[[Array, Array], Array], noise: tuple[Array, Array], count: int = 161
) -> LineLaw:
    """The law of a chain on nodes, each step divided between the two that are nearest.

    ``after`` is a step in its place and in one noise, which has nodes and their shares. Dividing adds
    a variance of the order of the nodes' squared distance at every step: means of two numbers of nodes
    are extrapolated.

    >>> signs = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    >>> law = followed(lambda x, z: x / 2 + z / 2, signs)
    >>> value, error = law.expect(lambda x: x**2)
    >>> abs(value - 1 / 3) < error < 1e-2
    True
    """
    (x, w), half = _in_a_box(lambda half: _divided(after, noise, half, count))
    y, v = _divided(after, noise, half, 2 * count - 1)
    # a mean by both, extrapolated: 4/3 of the finer less 1/3 of the coarser
    return LineLaw((y, v), (np.concatenate([y, x]), np.concatenate([4 * v / 3, -w / 3])))


def _divided(
    after: Callable[[Array, Array], Array], noise: tuple[Array, Array], half: float, count: int
) -> tuple[Array, Array]:
    x = np.linspace(-half, half, count)
    z, share = noise
    to = (np.clip(after(x[:, None], z[None, :]), -half, half) + half) / (2 * half) * (count - 1)
    low = np.minimum(to.astype(int), count - 2)
    part, rows = to - low, np.broadcast_to(np.arange(count)[:, None], to.shape)
    kernel = np.zeros(count * count)
    for node, weight in ((low, 1 - part), (low + 1, part)):
        kernel += np.bincount((node * count + rows).ravel(), (weight * share).ravel(), count * count)
    matrix = kernel.reshape(count, count) - np.eye(count)
    matrix[0] = 1.0
    return x, np.linalg.solve(matrix, np.eye(count)[0])


def _law(step: LineStep, half: float, per_spread: float) -> tuple[Array, Array]:
    ends = np.linspace(-half, half, 101)
    narrow = float(np.min(step.spread(ends) / step.slope(ends)))
    if not narrow > 0:
        raise UnusableInput("normal noise in every step", "none somewhere", "add noise")
    count = 2 * int(np.ceil(half * per_spread / narrow))
    if count > _MOST:
        raise UnusableInput(f"at most {_MOST} nodes", str(count), "take a larger step")
    width = 2 * half / count
    x = width * (np.arange(count) - (count - 1) / 2)
    with np.errstate(over="ignore", invalid="ignore"):
        away = (step.push(x)[:, None] - step.moved(x)[None, :]) / step.spread(x)[None, :]
        kernel = np.exp(-(away**2) / 2) * (step.slope(x)[:, None] / step.spread(x)[None, :])
    kernel = np.nan_to_num(kernel) * width / np.sqrt(2 * np.pi)
    rows = kernel - np.eye(count)
    rows[count // 2] = 1.0
    right = np.zeros(count)
    right[count // 2] = 1.0
    return x, np.linalg.solve(rows, right)
