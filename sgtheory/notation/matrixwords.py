"""The letters in which matrix formulas are written, traces, diagonal parts; and their values.

Matrices are non-commuting SymPy symbols, so ``A * Sigma`` and ``Sigma * A`` are different things.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

A, B, C, H, E = sp.symbols("A B C H E", commutative=False)
SIGMA = sp.Symbol("Sigma", commutative=False)
W = sp.Symbol("W", commutative=False)  # the noise of real minibatches
EE = sp.Symbol("EE^T", commutative=False)
identity = sp.Symbol("I", commutative=False)


class OfFormulas(sp.Function):
    """A word; of what is no formula of SymPy's but knows the word, it is what that makes of it."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """As what is given says, which may have another language for formulas."""
        makes = next((a.under_word for a in args if hasattr(a, "under_word")), None)
        return makes(cls, args) if makes else super().__new__(cls, *args, **options)


class Trace(OfFormulas):
    """The trace of a matrix expression, a scalar."""

    is_commutative = True
    is_positive = True


class Diagonal(OfFormulas):
    """The diagonal part of a matrix: everything off the diagonal is dropped."""

    is_commutative = False


class SmallestEigenvalue(OfFormulas):
    """The smallest eigenvalue of a symmetric matrix expression."""

    is_commutative = True
    is_real = True


class LargestEigenvalue(OfFormulas):
    """The largest eigenvalue of a symmetric matrix expression."""

    is_commutative = True
    is_real = True


class Determinant(OfFormulas):
    """The determinant of a matrix expression, a scalar."""

    is_commutative = True
    is_positive = True

    def _latex(self, printer: Any) -> str:
        return rf"\det\left({printer._print(self.args[0])}\right)"


class Entry(OfFormulas):
    """``Entry(M, i, j)``: one entry of a matrix expression, counted from 0."""

    is_commutative = True
    is_real = True

    def _latex(self, printer: Any, exp: Any = None) -> str:
        matrix, i, j = self.args
        bare = matrix.is_Symbol and "_" not in matrix.name
        inside = printer._print(matrix)
        shown = inside if bare else rf"\left({inside}\right)"
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"{shown}_{{{int(i) + 1}{int(j) + 1}}}{power}"


def trace(expr: Any) -> Any:
    """Tr(expr)."""
    return Trace(expr)


def value(expr: Any, scalars: Mapping[str, Any], matrices: Mapping[str, Any]) -> Any:
    """A formula in floating point: a number, or a D x D array where it has matrices in it.

    >>> import numpy as np
    >>> eps = sp.Symbol("eps")
    >>> value(eps * C**-1, {"eps": 0.5}, {"C": np.diag([2.0, 4.0])})
    array([[0.25 , 0.   ],
           [0.   , 0.125]])
    """
    expr = sp.sympify(expr)
    if expr.is_commutative:
        return _scalar(expr, scalars, matrices)
    total = 0.0
    for term in sp.Add.make_args(expr):
        coefficients, words = term.args_cnc()
        product: Any = _scalar(sp.Mul(*coefficients), scalars, matrices)
        for word in words:
            product = (
                product * _word(word, scalars, matrices)
                if _is_number(product)
                else (product @ _word(word, scalars, matrices))
            )
        total = total + product
    return total


def _is_number(x: Any) -> bool:
    return not hasattr(x, "shape") or x.shape == ()


def _scalar(expr: Any, scalars: Mapping[str, Any], matrices: Mapping[str, Any]) -> float:
    known = {}
    for atom in expr.atoms(Trace):
        known[atom] = sp.Float(float(value(atom.args[0], scalars, matrices).trace()))
    expr = expr.subs(known)
    return float(expr.subs({s: sp.Float(float(scalars[s.name])) for s in expr.free_symbols}))


def _word(word: Any, scalars: Mapping[str, Any], matrices: Mapping[str, Any]) -> Any:
    import numpy as np

    base, power = word.as_base_exp()
    if isinstance(base, Diagonal):
        inner = np.diag(np.diag(value(base.args[0], scalars, matrices)))
    elif base.is_Symbol:
        inner = np.eye(len(next(iter(matrices.values())))) if base == identity else matrices[base.name]
    else:
        inner = value(base, scalars, matrices)
    return np.linalg.matrix_power(inner, int(power))
