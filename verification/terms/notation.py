"""The letters of the house as terms: a formula made of them stays as it is written."""

from typing import cast

from verification import notation
from verification.terms.term import Letter, term

A, C, H, I, N, S, Sigma, eps = (  # noqa: E741  # I is the identity
    cast(Letter, term(s))
    for s in (
        notation.A,
        notation.C,
        notation.H,
        notation.identity,
        notation.N,
        notation.S,
        notation.Sigma,
        notation.eps,
    )
)
