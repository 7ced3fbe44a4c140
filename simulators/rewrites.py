"""Rewrites of an update before it is lowered: named, listed, and reported with their effect.

``drop identities`` leaves out a gain that was not given. ``fold`` lets a matrix act on each term
of a sum, and merges the products of scalars and matrices that arise into constant matrices, which
the host computes once:
``eps*H (A x + B w)`` becomes ``(eps*H*A) x + (eps*H*B) w``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Coordinates, Drawn, Letter
from sgtheory.datamodels.margins import MARGIN
from sgtheory.declare import Apply, DataScalar, MatrixName, Root, Vector, kind
from sgtheory.reader.exact import identity


class Product(sp.Function):
    """``Product(c, M1, M2, ...)``: a scalar times a product of matrices, itself a matrix."""


@dataclass(frozen=True)
class Rewrite:
    """A rewrite: its name, what it does in words, and the function on one update."""

    name: str
    words: str
    apply: Callable[[Any], Any]


def matrix_products(expr: Any) -> int:
    """How many different matrix-vector products an expression contains."""
    return len(sp.sympify(expr).atoms(Apply))


def is_constant(expr: Any) -> bool:
    """Whether a scalar depends on parameters and sizes only."""
    from sgtheory.declare import t

    symbols = sp.sympify(expr).atoms(sp.Symbol)
    varying = (Vector, MatrixName, DataScalar, Letter)
    if sp.sympify(expr).atoms(Drawn):
        return False
    return not symbols & {t, MARGIN} and not any(isinstance(s, varying) for s in symbols)


Term = tuple[Any, tuple[Any, ...], Any]  # scalar, matrices from left to right, vector


def _terms(expr: Any) -> list[Term]:
    """A vector as a sum of terms, each a constant scalar times matrices on a vector."""
    if isinstance(expr, sp.Add):
        return [term for arg in expr.args for term in _terms(arg)]
    if isinstance(expr, Apply):
        matrix, inner = expr.args
        return [(c, (matrix, *matrices), x) for c, matrices, x in _terms(inner)]
    if isinstance(expr, sp.Mul):
        scalar = sp.Mul(*(a for a in expr.args if is_constant(a)))
        rest = [a for a in expr.args if not is_constant(a)]
        if len(rest) == 1:
            return [(scalar * c, matrices, x) for c, matrices, x in _terms(rest[0])]
        return [(scalar, (), sp.Mul(*(_inside(a) for a in rest)))]
    return [(sp.Integer(1), (), _inside(expr))]


def _inside(expr: Any) -> Any:
    """Fold the vectors within a non-linear expression."""
    if not expr.args or isinstance(expr, MatrixName | Root | sp.Rel | Coordinates):
        return expr
    if isinstance(expr, sp.Add | Apply) and kind(expr) == "vector":
        return fold(expr)
    return expr.func(*(_inside(sp.sympify(a)) for a in expr.args))


def fold(expr: Any) -> Any:
    """Constant scalars and matrices in front of a vector, merged; never more products than before.

    >>> from sgtheory import registry
    >>> from sgtheory.setting import Setting
    >>> setting = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> fold(setting.updates[0][1])
    theta + Apply(Product(-eps, H, A), theta) + Apply(Product(-eps/sqrt(S), H, B), w0)
    """
    words: dict[Any, dict[Any, Any]] = {}
    plain = sp.Integer(0)
    for scalar, factors, x in _terms(expr):
        if factors:
            of = words.setdefault(x, {})
            of[factors] = of.get(factors, sp.Integer(0)) + scalar
        else:
            plain += scalar * x
    matrices = {x: [Product(c, *word) for word, c in of.items() if c != 0] for x, of in words.items()}
    folded = plain + sp.Add(*(Apply(sp.Add(*ms), x) for x, ms in matrices.items() if ms))
    return folded if matrix_products(folded) <= matrix_products(expr) else expr


def drop_identities(*problems: Any) -> Rewrite:
    """The rewrite that leaves out matrices that are the identity in all problems: H x becomes x."""

    def dropped(matrix: Any) -> bool:
        inner = matrix.args[0] if isinstance(matrix, Root) else matrix
        if not isinstance(inner, MatrixName):
            return False
        return all(values.matrices.get(inner.name) == identity(values.D) for values in problems)

    def drop(expr: Any) -> Any:
        return expr.replace(Apply, lambda m, x: x if dropped(m) else Apply(m, x))

    return Rewrite("drop identities", "leave out matrices that are the identity", drop)


FOLD = Rewrite("fold", "merge constant scalars and matrices in front of a vector", fold)
