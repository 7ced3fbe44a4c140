"""Potentials that a problem file gives as text, the same in every coordinate: ``(x**2 - 1)**2/4``.

The text is read by a small grammar of its own (numbers, x, + - * / **, exp, log, sqrt) and never run as
a program, so that a problem file can do nothing but describe a problem.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.language import Apply, BatchMean, DiagonalOf, Dot, ones
from sgtheory.margins import MARGIN, margins
from sgtheory.written import Share, curved

POINT = sp.Symbol("x", real=True)
_FUNCTIONS = {"exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt}
_OPERATORS: dict[type, Any] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b,
}  # fmt: skip
_LONGEST = 1000


def with_potential(model: Any, text: Any) -> Any:
    """The model whose gradient is that of a potential in x.

    >>> from sgtheory import registry
    >>> with_potential(registry.model("potential"), "x**4/4 - x**2/2 + x").full_gradient
    ones + x**3 - x
    """
    slope = at_every_coordinate(sp.diff(parsed(text), POINT), model.x)
    noise = model.gradient - model.full_gradient
    return replace(model, potential=str(text), gradient=slope + noise, full_gradient=slope)


def parsed(text: Any) -> Any:
    """The expression of a text, its decimals exact.

    >>> parsed("0.1*x**2 + exp(-x)")
    x**2/10 + exp(-x)
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise _refused(str(text)[:40])
    try:
        return sp.sympify(_Reader(text).value(ast.parse(text, mode="eval").body))
    except (SyntaxError, RecursionError, ValueError, ZeroDivisionError):
        raise _refused(text[:40]) from None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, node: Any) -> Any:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            written = Fraction(str(ast.get_source_segment(self._text, node)))
            return sp.Rational(written.numerator, written.denominator)
        if isinstance(node, ast.Name) and node.id == "x":
            return POINT
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            return (
                -self.value(node.operand) if isinstance(node.op, ast.USub) else self.value(node.operand)
            )
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = self.value(node.left), self.value(node.right)
            if isinstance(node.op, ast.Pow) and _enormous(left, right):
                raise _refused("an enormous power")
            return _OPERATORS[type(node.op)](left, right)
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            function = _FUNCTIONS.get(getattr(node.func, "id", ""))
            if function:
                return function(self.value(node.args[0]))
        raise _refused(str(ast.get_source_segment(self._text, node))[:40])


def _enormous(base: Any, power: Any) -> bool:
    """Whether a power would have thousands of digits, or of factors."""
    digits = len(str(base)) if sp.sympify(base).is_number else 1
    return bool(sp.sympify(power).is_number and abs(power) * digits > 1000)


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


def _refused(got: str) -> UnusableInput:
    return UnusableInput(
        "a potential of numbers, x, + - * / **, exp, log and sqrt", got, 'write "U": "x**4/4 - x**2/2"'
    )
