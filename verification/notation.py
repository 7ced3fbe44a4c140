"""The symbols in which printed claims are encoded.

Matrices are non-commuting SymPy symbols, so ``A * Sigma`` and ``Sigma * A`` are different things.
B B^T is one symbol, ``C``: no claim here needs B alone.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.declare import D, N, Parameter, S
from sgtheory.matrixform import SIGMA, A, C, H, block_symbol

eps = Parameter("eps", positive=True)
mu = Parameter("mu", positive=True)
identity = sp.Symbol("I", commutative=False)
Sigma = SIGMA


class Trace(sp.Function):
    """The trace of a matrix expression, a scalar."""

    is_commutative = True
    is_positive = True


class Diagonal(sp.Function):
    """The diagonal part of a matrix: everything off the diagonal is dropped."""

    is_commutative = False


def trace(expr: Any) -> Any:
    """Tr(expr)."""
    return Trace(expr)


def second(a: str, b: str) -> Any:
    """E[a b^T] in the stationary state, for two states of the sampler.

    >>> second("theta", "theta")
    Sigma
    """
    return block_symbol(a, b)


__all__ = [
    "A",
    "C",
    "D",
    "Diagonal",
    "H",
    "N",
    "S",
    "Sigma",
    "Trace",
    "eps",
    "identity",
    "mu",
    "second",
    "trace",
]
