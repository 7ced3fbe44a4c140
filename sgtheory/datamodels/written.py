"""Gradients made from a loss: written out in the coordinates of a point and of an example's row.

A loss is a few named numbers, such as margins and hidden units, and an expression of them. Its
gradient comes of going backwards through them once, which gives more named numbers; second
derivatives come of going forwards through all of these along one coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Coordinates, Curvatures, Letter
from sgtheory.errors import UnusableInput, shown

MOST = 64  # coordinates: a kernel has a line for each operation of a gradient


class Share(sp.Function):
    """``Share(a, b, ...)`` is exp(a)/(exp(a) + exp(b) + ...): a class's probability, or a unit's.

    >>> a, b = sp.symbols("a b")
    >>> sp.diff(Share(a, b), b)
    -Share(a, b)*Share(b, a)
    """

    def fdiff(self, argindex: int = 1) -> Any:
        """The derivative in one of the arguments."""
        if argindex == 1:
            return self * (1 - self)
        other = self.args[argindex - 1]
        others = [a for k, a in enumerate(self.args) if k != argindex - 1]
        return -self * Share(other, *others)

    @staticmethod
    def plain(a: Any, *others: Any) -> Any:
        """The same in exponentials of differences, which may grow beyond bounds without harm."""
        return 1 / (1 + sp.Add(*(sp.exp(b - a) for b in others)))

    @classmethod
    def within(cls, expr: Any) -> Any:
        """An expression whose 1/(1 + exp(a)) are shares, so that its derivatives do not overflow.

        >>> m = sp.Symbol("m")
        >>> Share.within(-1 / (1 + sp.exp(2 * m)))
        -Share(0, 2*m)
        """

        def found(power: Any) -> bool:
            rest = 1 / power - 1 if power.is_Pow and power.exp == -1 else None
            return isinstance(rest, sp.exp)

        return expr.replace(found, lambda power: cls(0, (1 / power - 1).args[0]))


class LogSum(sp.Function):
    """``LogSum(a, b, ...)`` is log(exp(a) + exp(b) + ...)."""

    def fdiff(self, argindex: int = 1) -> Any:
        """The share of one of the arguments."""
        others = [a for k, a in enumerate(self.args) if k != argindex - 1]
        return Share(self.args[argindex - 1], *others)


Steps = tuple[tuple[Any, Any], ...]  # (name of a number, what it is), in their order


@dataclass(frozen=True)
class Loss:
    """One example's loss: named numbers, and the loss in them."""

    steps: Steps
    value: Any
    points: tuple[Any, ...]  # the coordinates of the point

    @property
    def gradient(self) -> tuple[Steps, tuple[Any, ...]]:
        """More named numbers, and in these the derivative in each coordinate.

        >>> p, m = Letter("p0"), Letter("m0")
        >>> Loss(((m, 3 * p),), m**2 / 2, (p,)).gradient[1]
        (3*m0_bar,)
        """
        known = [*(name for name, _ in self.steps), *self.points]
        slopes = {name: sp.diff(self.value, name) for name in known}
        backwards: list[tuple[Any, Any]] = []
        for name, expr in reversed(self.steps):
            if slopes[name] == 0:
                continue
            bar = Letter(f"{name.name}_bar", real=True)
            backwards.append((bar, slopes[name]))
            for earlier in expr.free_symbols.intersection(known):
                slopes[earlier] += bar * sp.diff(expr, earlier)
        return (*self.steps, *backwards), tuple(slopes[p] for p in self.points)


def along(steps: Steps, values: Sequence[Any], point: Any) -> tuple[Steps, tuple[Any, ...]]:
    """The derivatives of some values in one coordinate, beside the named numbers of their own."""
    slopes: dict[Any, Any] = {point: sp.Integer(1)}
    forwards: list[tuple[Any, Any]] = []

    def slope(expr: Any) -> Any:
        moving = sorted(expr.free_symbols.intersection(slopes), key=str)
        return sp.Add(*(slopes[s] * sp.diff(expr, s) for s in moving))

    for name, expr in steps:
        found = slope(expr)
        if found != 0:
            dot = Letter(f"{name.name}_{point.name}", real=True)
            forwards.append((dot, found))
            slopes[name] = dot
    return (*steps, *forwards), tuple(slope(sp.sympify(v)) for v in values)


@cache
def curved(node: Any) -> Any:
    """Each coordinate of a written gradient, derived in that coordinate."""
    steps = node.steps
    everything, diagonal = list(steps), []
    for point, value in zip(node.points, node.values, strict=True):
        more, (found,) = along(steps, [value], point)
        everything += more[len(steps) :]
        diagonal.append(found)
    return Curvatures.of(node.args[:3], node.points, node.row, everything, diagonal)


@cache
def hessian(node: Any) -> tuple[Steps, tuple[tuple[Any, ...], ...]]:
    """The second derivatives of one example's loss, a row for each coordinate."""
    steps = node.steps
    everything, rows = list(steps), []
    for point in node.points:
        more, row = along(steps, node.values, point)
        everything += more[len(steps) :]
        rows.append(row)
    return tuple(everything), tuple(rows)


@dataclass(frozen=True)
class Shape:
    """What makes a model's loss from the length of an example's row and from counts of its own.

    ``loss`` gets the row's letters, the example's number and the counts, and a function that makes so
    many coordinates of the point. ``labels`` says what that number may be.
    """

    counts: tuple[tuple[str, int], ...]  # (key of a problem file, its value)
    loss: Callable[..., tuple[Steps, Any]]
    labels: Callable[..., tuple[int, ...]] | None = None
    width: int = 2  # of a row, where there is no problem yet

    def given(self, content: Mapping[str, Any], width: int | None) -> Shape:
        """The shape with the counts that a problem file gives, for rows of that width."""
        counts = []
        for key, usual in self.counts:
            value = content.get(key, usual)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
                raise UnusableInput(f"{key} as a whole number from 1 to {MOST}", shown(value), "count")
            counts.append((key, value))
        return replace(self, counts=tuple(counts), width=width or self.width)

    def example(self, x: Any, X: Any, y: Any) -> Any:
        """The gradient of one example's loss at a point x, for its row X and its number y."""
        points: list[Any] = []

        def coordinates(count: int) -> list[Any]:
            begin = len(points)
            points.extend([Letter(f"p{begin + k}", real=True) for k in range(count)])
            return points[begin:]

        row = tuple(Letter(f"r{j}", real=True) for j in range(self.width))
        loss = Loss(*self.loss(coordinates, row, y, **dict(self.counts)), tuple(points))
        if len(points) > MOST:
            counted = ", ".join(key for key, _ in self.counts)
            raise UnusableInput(
                f"a model of at most {MOST} coordinates", f"{len(points)}", f"take less {counted}"
            )
        steps, values = loss.gradient
        return Coordinates.of((x, X, y), points, row, steps, values)


def shaped(model: Any, content: Mapping[str, Any], width: int | None = None) -> Any:
    """The model for a problem: its counts, and its gradient for rows of that width.

    >>> from sgtheory import registry
    >>> shaped(registry.model("softmax_regression"), {"classes": 4}, 3).dimension
    12
    """
    shape = model.shape.given(content, width)
    (node,) = model.example.atoms(Coordinates)
    example = model.example.xreplace({node: shape.example(*node.args[:3])})
    labels = ((node.args[2], shape.labels(**dict(shape.counts))),) if shape.labels else ()
    return replace(model, shape=shape, example=example, labels=labels, gradient=None, full_gradient=None)
