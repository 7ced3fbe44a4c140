"""The mode of a data model whose gradient is not affine, by Newton's method in double precision."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.datamodels.data import Examples
from sgtheory.datamodels.margins import MARGIN, margins
from sgtheory.errors import UnusableInput

Array = Any

_TURNS = 60
_HALVINGS = 30


def about_mode(model: Any, data: Mapping[str, Array], scalars: Mapping[str, Fraction]) -> Examples:
    """The examples linearised at the mode: curvature and gradient noise are those found there.

    >>> from sgtheory import registry
    >>> data = {"X": np.array([[1.0], [1.0], [1.0]]), "y": np.array([1.0, 1.0, -1.0])}
    >>> found = about_mode(registry.model("logistic_regression"), data, {"ridge": Fraction(0)})
    >>> round(float(found.center[0]), 12) == round(float(np.log(2)), 12)
    True
    """
    form = margins(model.example)
    X = np.asarray(data[form.covariates.name], float)
    known = {s: sp.Rational(str(scalars[s.name])) for s in model.parameters}
    known |= {s: sp.Integer(len(X)) for s in form.rest.free_symbols if s.name == "N"}
    numbers = [np.asarray(data[s.name], float) for s in form.numbers]
    weight, slope = (
        sp.lambdify((MARGIN, *form.numbers), e.subs(known), "numpy")
        for e in (form.weight, sp.diff(form.weight, MARGIN))
    )
    ridge = float((form.rest / model.x).subs(known))

    def rows(x: Array) -> Array:
        with np.errstate(over="ignore"):  # exp of a large margin: the weight is then 0, as it should
            return X * np.broadcast_to(weight(X @ x, *numbers), len(X))[:, None] + ridge * x

    x = np.zeros(X.shape[1])
    for _ in range(_TURNS):
        each = rows(x)
        gradient = each.mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.nan_to_num(np.broadcast_to(slope(X @ x, *numbers), len(X)))
        curvature = X.T @ (X * slopes[:, None]) / len(X) + ridge * np.eye(len(x))
        # what the roundings of the point and of each example's gradient leave
        rounding = np.abs(each).mean(axis=0).sum() + np.linalg.norm(curvature) * np.linalg.norm(x)
        if np.linalg.norm(gradient) <= 8 * np.finfo(float).eps * rounding:
            return Examples(curvature, x, each, None, None)
        x = x + _step(lambda z: rows(z).mean(axis=0), x, gradient, curvature)
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
