"""Potentials that a problem file gives as text, the same in every coordinate: ``(x**2 - 1)**2/4``.

The text is read by a small grammar of its own (numbers, x, + - * / **, exp, log, sqrt) and never run as
a program, so that a problem file can do nothing but describe a problem.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.datamodels.margins import MARGIN, margins
from sgtheory.datamodels.written import Share, curved
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply, BatchMean, DiagonalOf, Dot, ones
from sgtheory.reader.formulas import formula

POINT = sp.Symbol("x", real=True)
_REMEDY = 'write "U": "x**4/4 - x**2/2"'


def with_potential(model: Any, text: Any) -> Any:
    """The model whose gradient is that of a potential in x.

    >>> from sgtheory import registry
    >>> with_potential(registry.model("potential"), "x**4/4 - x**2/2 + x").full_gradient
    ones + x**3 - x
    """
    slope = at_every_coordinate(sp.diff(parsed(text), POINT), model.x)
    if slope == 0:
        raise UnusableInput("a potential that changes with x", text, _REMEDY)
    noise = model.gradient - model.full_gradient
    return replace(model, potential=str(text), gradient=slope + noise, full_gradient=slope)


def parsed(text: Any) -> Any:
    """The expression of a text, its decimals exact.

    >>> parsed("0.1*x**2 + exp(-x)")
    x**2/10 + exp(-x)
    """
    return formula(text, {"x": POINT}, "a potential", _REMEDY)


def at_every_coordinate(expr: Any, x: Any) -> Any:
    """A parsed expression at every coordinate of a vector: numbers that are added act on each.

    >>> from sgtheory.declare import state
    >>> at_every_coordinate(parsed("1/(1 + x**2)"), state("theta"))
    1/(theta**2 + ones)
    """
    if not expr.has(POINT):
        return expr * ones
    if expr == POINT:
        return x
    if isinstance(expr, sp.Add):
        return sp.Add(*(at_every_coordinate(a, x) for a in expr.args))
    if isinstance(expr, sp.Pow) and expr.exp.has(POINT):
        return sp.exp(at_every_coordinate(expr.exp * sp.log(expr.base), x))
    return expr.func(*(at_every_coordinate(a, x) if a.has(POINT) else a for a in expr.args))


def slope(model: Any, point: Any, draw: Any = 0) -> Any:
    """The derivative of each coordinate of a model's stochastic gradient in that coordinate.

    Of data it is a mean over the minibatch: each example adds its weight's slope times the squares of
    its covariates.

    >>> from sgtheory import registry
    >>> from sgtheory.declare import state
    >>> slope(registry.model("quadratic"), state("theta"))
    DiagonalOf(A)
    """
    if model.example is not None:
        form = margins(model.example)
        shared = at_every_coordinate(sp.diff(form.rest.xreplace({model.x: POINT}), POINT), model.x)
        if form.written:
            seen = curved(form.weight) + shared
        elif form.weight.has(MARGIN):
            steep = sp.diff(Share.within(form.weight), MARGIN).xreplace(
                {MARGIN: Dot(form.covariates, model.x)}
            )
            seen = steep * form.covariates**2 + shared
        else:  # examples are curved alike
            return shared.xreplace({model.x: point})
        return BatchMean(seen.xreplace({model.x: point}), draw)
    total = sp.Integer(0)
    for term in sp.Add.make_args(model.gradient):
        scalar, rest = term.as_independent(Apply, model.x, as_Add=False)
        if isinstance(rest, Apply) and rest.args[1] == model.x:
            total += scalar * DiagonalOf(rest.args[0])
        elif not rest.atoms(Apply):
            total += at_every_coordinate(
                sp.diff(term.xreplace({model.x: POINT, ones: sp.Integer(1)}), POINT), point
            )
        elif term.has(model.x):
            raise UnusableInput("a gradient of each coordinate alone", str(term), "give the slope")
    return total
