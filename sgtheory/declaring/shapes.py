"""Whether an expression of the language is one number or one number to a coordinate."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Coordinates, Seen
from sgtheory.declaring.noises import Vector
from sgtheory.errors import DeclarationError
from sgtheory.language import (
    Apply,
    BatchMean,
    Curvature,
    DataMean,
    DiagonalOf,
    Dot,
    Expr,
    FullGradient,
    Gradient,
    MatrixName,
    Prior,
    PriorCurvature,
    Root,
)  # fmt: skip

# Functions that are vectors, and whose argument is one: the first, but of a matrix.
_OF_A_VECTOR = (
    Apply, Gradient, FullGradient, Curvature, Prior, PriorCurvature, BatchMean, DataMean,
    Coordinates, Seen,
)  # fmt: skip


def kind(expr: Expr) -> str:
    """Whether an expression is a ``"scalar"`` or a ``"vector"``; raises where shapes clash.

    >>> from sgtheory.language import positive, state
    >>> theta, eps = state("theta"), positive("eps")
    >>> kind(eps * theta), kind(eps + 1)
    ('vector', 'scalar')
    >>> kind(theta + eps)
    Traceback (most recent call last):
    ...
    sgtheory.errors.DeclarationError: expected terms of one shape; got eps + theta, a scalar \
added to a vector; write eps*ones to add a scalar to every coordinate
    """
    if isinstance(expr, Vector):
        return "vector"
    if isinstance(expr, MatrixName | Root):
        raise DeclarationError(
            "matrices to act on a vector",
            f"the bare matrix {expr}",
            f"write {expr} @ x, with the vector on its right",
        )
    if isinstance(expr, DiagonalOf):
        return "vector"
    if isinstance(expr, _OF_A_VECTOR):
        inner = expr.args[1] if isinstance(expr, Apply) else expr.args[0]
        _expect_vector(inner, expr)
        return "vector"
    if isinstance(expr, Dot):
        for arg in expr.args:
            _expect_vector(arg, expr)
        return "scalar"
    if isinstance(expr, sp.Piecewise):  # where a vector is zero, SymPy forgets that it is one
        return _one_shape([e for e, _ in expr.args if e != 0], expr)
    if isinstance(expr, sp.Add):
        return _one_shape(expr.args, expr)
    return "vector" if any(kind(a) == "vector" for a in expr.args) else "scalar"


def _expect_vector(arg: Expr, expr: Expr) -> None:
    if kind(arg) != "vector":
        raise DeclarationError("a vector", f"the scalar {arg} in {expr}", "give a state or a noise")


def _one_shape(terms: Any, expr: Expr) -> str:
    scalars = [a for a in terms if kind(a) == "scalar"]
    if scalars and len(scalars) < len(terms):
        total = sp.Add(*scalars)
        shown = f"({total})" if total.is_Add else str(total)
        raise DeclarationError(
            "terms of one shape",
            f"{expr}, a scalar added to a vector",
            f"write {shown}*ones to add a scalar to every coordinate",
        )
    return "scalar" if scalars else "vector"
