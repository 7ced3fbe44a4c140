"""The symbols in which printed claims are encoded.

Matrices are non-commuting SymPy symbols, so ``A * Sigma`` and ``Sigma * A`` are different things.
B B^T is one symbol, ``C``, and so is E E^T, ``EE``; ``B`` and ``E`` by themselves are any matrices, of
which a law sees those products only.
"""

from __future__ import annotations

from typing import Any

from sgtheory.declare import D, N, Parameter, S
from sgtheory.modepairs.matrixform import block_symbol
from sgtheory.notation.matrixwords import (
    EE,
    SIGMA,
    A,
    B,
    C,
    Diagonal,
    E,
    H,
    LargestEigenvalue,
    SmallestEigenvalue,
    Trace,
    identity,
    trace,
)

eps = Parameter("eps", positive=True)
mu = Parameter("mu", positive=True)
Sigma = SIGMA


def second(a: str, b: str) -> Any:
    """E[a b^T] in the stationary state, for two states of the sampler.

    >>> second("theta", "theta")
    Sigma
    """
    return block_symbol(a, b)


__all__ = [
    "EE",
    "A",
    "B",
    "C",
    "D",
    "Diagonal",
    "E",
    "H",
    "LargestEigenvalue",
    "N",
    "S",
    "Sigma",
    "SmallestEigenvalue",
    "Trace",
    "eps",
    "identity",
    "mu",
    "second",
    "trace",
]
