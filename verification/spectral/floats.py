"""Printed expressions with exponentials and modes in floating point: for pictures and measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from verification.kinds import Transpose
from verification.spectral.words import MatrixExp, MatrixPower

Array = Any


def in_floats(expr: Any, matrices: Mapping[str, Array], scalars: Mapping[str, float]) -> Array:
    """The value of a matrix expression; letters by name.

    >>> from verification.notation import A, eps
    >>> from verification.spectral.words import T
    >>> found = in_floats(eps * A**-1 * MatrixExp(-T * A), {"A": np.eye(1), "I": np.eye(1)},
    ...                   {"eps": 2.0, "T": 1.0})
    >>> found.round(6).tolist()
    [[0.735759]]
    """

    def number(e: Any) -> float:
        return float(e.subs({s: scalars[s.name] for s in e.free_symbols}))

    def matrix(e: Any) -> Array:
        if e.is_Add:
            return sum(matrix(a) for a in e.args)
        if e.is_Mul:
            coefficients, words = e.args_cnc()
            product = np.eye(len(matrices["I"]))
            for word in words:
                product = product @ matrix(word)
            return number(sp.Mul(*coefficients)) * product
        if e.is_Pow:
            return np.linalg.matrix_power(matrix(e.base), int(e.exp))
        if isinstance(e, MatrixExp):
            values, vectors = np.linalg.eigh(matrix(e.args[0]))
            return vectors @ np.diag(np.exp(values)) @ vectors.T
        if isinstance(e, MatrixPower):
            return np.linalg.matrix_power(matrix(e.args[0]), round(number(e.args[1])))
        if isinstance(e, Transpose):
            return matrix(e.args[0]).T
        return np.asarray(matrices[e.name], float)

    return matrix(sp.expand(sp.sympify(expr)))
