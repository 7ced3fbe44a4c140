"""Symbols: a term as an expression of SymPy, which simplifies while it builds: for proofs only."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import D
from sgtheory.matrixwords import (
    Determinant,
    Diagonal,
    Entry,
    LargestEigenvalue,
    SmallestEigenvalue,
    Trace,
)
from verification.gaussians import Divergence, FormAt, MeanForm, MeanLogDensity
from verification.kinds import Transpose
from verification.terms.term import Letter, Term
from verification.terms.walking import Arithmetic, walk

_ASSUMED: dict[str, dict[str, bool]] = {
    "positive": {"positive": True},
    "real": {"real": True},
    "count": {"positive": True, "integer": True},
    "fraction": {"positive": True},
    "up to one": {"positive": True},
    "unit": {"nonnegative": True},
}


def _number(x: Any) -> Any:
    whole = Fraction(x)
    return sp.Rational(whole.numerator, whole.denominator)


SYMBOLS = Arithmetic(
    "symbols",
    _number,
    {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "over": lambda a, b: a / b,
        "negative": lambda a: -a,
        "power": lambda a, b: a**b,
        "root": sp.sqrt,
        "exp": sp.exp,
        "log": sp.log,
        "pi": lambda: sp.pi,
        "largest": sp.Max,
        "smallest": sp.Min,
        "trace": Trace,
        "determinant": Determinant,
        "entry": Entry,
        "transpose": Transpose,
        "diagonal": Diagonal,
        "form_at": FormAt,
        "mean_form": lambda M, V, q: MeanForm(M, V, sp.Symbol(q)),
        "mean_log": lambda W, f, V, q: MeanLogDensity(W, sp.Symbol(f), V, sp.Symbol(q)),
        "divergence": lambda V, q, W, f: Divergence(V, sp.Symbol(q), W, sp.Symbol(f)),
        "extreme": lambda a, sign: (LargestEigenvalue if sign > 0 else SmallestEigenvalue)(a),
    },
    exact=True,
)


def symbol(letter: Letter) -> Any:
    """A letter as SymPy's symbol, with what its kind says of it."""
    if letter.kind == "dimension":
        return D
    if letter.kind == "matrix":
        return sp.Symbol(letter.name, commutative=False)
    return sp.Symbol(letter.name, **_ASSUMED[letter.kind])


def in_symbols(term: Term) -> Any:
    """A term as an expression of SymPy.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> in_symbols(x + x - y / 2)
    2*x - y/2
    """
    return walk(term, SYMBOLS, {one.name: symbol(one) for one in term.letters})
