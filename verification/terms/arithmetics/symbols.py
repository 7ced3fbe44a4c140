"""Symbols: a term as an expression of SymPy, which simplifies while it builds: for proofs only."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import D
from sgtheory.dynamics.density import marginal
from sgtheory.notation.matrixwords import (
    Determinant,
    Diagonal,
    Entry,
    LargestEigenvalue,
    SmallestEigenvalue,
    Trace,
)
from verification.terms import batchwords
from verification.terms.gaussians import (
    Divergence,
    FormAt,
    MeanForm,
    MeanLogDensity,
    TotalVariation,
    Transported,
)
from verification.terms.kinds import Transpose
from verification.terms.normal_integrals import mean_under
from verification.terms.term import Letter, Term
from verification.terms.walking import Arithmetic, Unable, walk

_ASSUMED: dict[str, dict[str, bool]] = {
    "positive": {"positive": True},
    "real": {"real": True},
    "count": {"positive": True, "integer": True},
    "fraction": {"positive": True},
    "up to one": {"positive": True},
    "unit": {"nonnegative": True},
    "nonnegative": {"nonnegative": True},
    **{kind: {"real": True} for kind in ("within one", "random", "centred", "sign")},
}


class Density(sp.Function):
    """exp(-H)/Z, whatever the constant Z is.

    >>> x, b = sp.symbols("x b")
    >>> Density(b * x**2).diff(x)
    -2*b*x*Density(b*x**2)
    """

    is_positive = True

    def fdiff(self, argindex: int = 1) -> Any:
        """The derivative by H."""
        return -self


def _number(x: Any) -> Any:
    whole = Fraction(x)
    return sp.Rational(whole.numerator, whole.denominator)


def _largest(a: Any, b: Any) -> Any:
    """Of a number and its negative it is a size, whose square is that of the number."""
    return sp.Abs(a) if sp.expand(a + b) == 0 else sp.Max(a, b)


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
        "erf": sp.erf,
        "pi": lambda: sp.pi,
        "sine": sp.sin,
        "cosine": sp.cos,
        "sign_of": sp.sign,
        "largest": _largest,
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
        "transported": lambda V, q, W, f: Transported(V, sp.Symbol(q), W, sp.Symbol(f)),
        "total_variation": lambda V, q, W, f: TotalVariation(V, sp.Symbol(q), W, sp.Symbol(f)),
        **batchwords.WORDS,
        "apply": lambda f, *arguments: f(*arguments),
        "partial": lambda a, x: sp.diff(a, x),
        "density": lambda H: Density(H),
        "log_integral": lambda a, *over: marginal(
            sp.sympify(a),
            (*over, *sorted(a.free_symbols - set(over), key=str)),
            sorted(a.free_symbols - set(over), key=str),
        ),
        "mean_under": lambda a, f, *over: mean_under(a, over, f),
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
    if letter.kind in batchwords.KINDS:
        return batchwords.letter(letter.name, letter.kind)
    if letter.kind in ("function", "positive function"):
        return sp.Function(letter.name, **({"positive": True} if "positive" in letter.kind else {}))
    if letter.kind not in _ASSUMED:
        raise Unable(f"one symbol for {letter.name}, a {letter.kind}")
    return sp.Symbol(letter.name, **_ASSUMED[letter.kind])


_NAMED = replace(
    SYMBOLS, operations={**SYMBOLS.operations, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh}
)


def in_symbols(term: Term, named: bool = False) -> Any:
    """A term as an expression of SymPy; hyperbolic functions are exponentials unless ``named``.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> in_symbols(x + x - y / 2)
    2*x - y/2
    """
    return walk(term, _NAMED if named else SYMBOLS, {one.name: symbol(one) for one in term.letters})
