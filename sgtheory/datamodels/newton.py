"""The mode of a data model whose gradient is not affine, by Newton's method in double precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.datamodels.data import Examples
from sgtheory.datamodels.margins import MARGIN, margins
from sgtheory.errors import UnusableInput

Array = Any

_TURNS = 60
_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss of margins in numbers: its derivatives at any point."""

    X: Array
    weight: Callable[[Array], Array]  # of margins
    slope: Callable[[Array], Array]
    bend: Callable[[Array], Array]
    ridge: float

    @classmethod
    def of(cls, model: Any, data: Mapping[str, Array], scalars: Mapping[str, Fraction]) -> Loss:
        """That of a data model, its rows and its numbers."""
        form = margins(model.example)
        X = np.asarray(data[form.covariates.name], float)
        known = {s: sp.Rational(str(scalars[s.name])) for s in model.parameters}
        known |= {s: sp.Integer(len(X)) for s in form.rest.free_symbols if s.name == "N"}
        numbers = [np.asarray(data[s.name], float) for s in form.numbers]
        letters = (MARGIN, *form.numbers)
        weight, slope, bend = (
            partial(
                _with, sp.lambdify(letters, form.weight.diff(MARGIN, k).subs(known), "numpy"), numbers
            )
            for k in range(3)
        )
        ridge = float((form.rest / model.x).subs(known))
        return cls(X, weight, slope, bend, ridge)

    def rows(self, x: Array) -> Array:
        """The gradients of all examples."""
        return self.X * self._at(self.weight, x)[:, None] + self.ridge * x

    def curvature(self, x: Array) -> Array:
        """The mean of all examples' curvatures."""
        slopes = np.nan_to_num(self._at(self.slope, x))
        return self.X.T @ (self.X * slopes[:, None]) / len(self.X) + self.ridge * np.eye(len(x))

    def third(self, x: Array) -> Array:
        """The mean of all examples' third derivatives."""
        each = self.X * np.nan_to_num(self._at(self.bend, x))[:, None]
        return np.stack([self.X.T @ (each * column[:, None]) for column in self.X.T]) / len(self.X)

    def _at(self, f: Callable[[Array], Array], x: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):  # of a large margin: 0, as it should be
            return np.broadcast_to(f(self.X @ x), len(self.X))


def _with(f: Callable[..., Array], numbers: list[Array], margins_: Array) -> Array:
    return f(margins_, *numbers)


def about_mode(model: Any, data: Mapping[str, Array], scalars: Mapping[str, Fraction]) -> Examples:
    """The examples linearised at the mode: curvature and gradient noise are those found there.

    >>> from sgtheory import registry
    >>> data = {"X": np.array([[1.0], [1.0], [1.0]]), "y": np.array([1.0, 1.0, -1.0])}
    >>> found = about_mode(registry.model("logistic_regression"), data, {"ridge": Fraction(0)})
    >>> round(float(found.center[0]), 12) == round(float(np.log(2)), 12)
    True
    """
    loss = Loss.of(model, data, scalars)
    x = np.zeros(loss.X.shape[1])
    for _ in range(_TURNS):
        each = loss.rows(x)
        gradient = each.mean(axis=0)
        curvature = loss.curvature(x)
        # what the roundings of the point and of each example's gradient leave
        rounding = np.abs(each).mean(axis=0).sum() + np.linalg.norm(curvature) * np.linalg.norm(x)
        if np.linalg.norm(gradient) <= 8 * np.finfo(float).eps * rounding:
            return Examples(curvature, x, each, None, None)
        x = x + _step(lambda z: loss.rows(z).mean(axis=0), x, gradient, curvature)
    raise _no_mode("Newton's method does not settle")


def _step(gradient_at: Any, x: Array, gradient: Array, curvature: Array) -> Array:
    """Newton's step, halved until the gradient shrinks."""
    try:
        step = -np.linalg.solve(curvature, gradient)
    except np.linalg.LinAlgError:
        raise _no_mode("a flat direction") from None
    size = np.linalg.norm(gradient)
    for _ in range(_HALVINGS):
        if np.linalg.norm(gradient_at(x + step)) < size:
            return step
        step = step / 2
    return step


def _no_mode(got: str) -> UnusableInput:
    return UnusableInput(
        "data whose loss has one minimiser", got, "add a ridge: classes may be separable"
    )
