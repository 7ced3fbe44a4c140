"""Expressions of SymPy as terms, in the order in which they are printed: SymPy keeps no other."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from sgtheory.declare import D
from sgtheory.errors import UnusableInput
from sgtheory.notation.matrixwords import (
    Determinant,
    Diagonal,
    Entry,
    LargestEigenvalue,
    SmallestEigenvalue,
    Trace,
)
from sgtheory.notation.printing import readable
from verification.terms import batchwords
from verification.terms.arithmetics.symbols import Density
from verification.terms.gaussians import (
    Divergence,
    FormAt,
    MeanForm,
    MeanLogDensity,
    TotalVariation,
    Transported,
)
from verification.terms.kinds import Transpose
from verification.terms.term import Applied, Letter, Name, Term, number, product, term

_LAWS = {Divergence: "KL", MeanForm: "mean_form", MeanLogDensity: "mean_log",
         Transported: "normal_W2", TotalVariation: "normal_TV"}  # fmt: skip
_FUNCTIONS = {sp.exp: "exp", sp.log: "log", sp.erf: "erf", sp.Max: "max", sp.Min: "min", sp.sinh: "sinh",
              sp.cosh: "cosh", sp.tanh: "tanh", sp.sin: "sin", sp.cos: "cos", sp.sign: "sign",
              sp.Abs: "abs", Density: "density", FormAt: "form_at",
              Trace: "tr", Determinant: "det", Entry: "entry", Transpose: "transpose", Diagonal: "diag",
              **{made: name for name, made in batchwords.WORDS.items()},
              SmallestEigenvalue: "lambda_min", LargestEigenvalue: "lambda_max"}  # fmt: skip


def from_sympy(expr: Any) -> Term:
    """An expression of SymPy as a term; letters that do not commute are matrices.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> str(from_sympy((x - y) ** 2 / (2 * x) + sp.sqrt(y)))
    'sqrt(y) + (x - y)**2/(2*x)'
    """
    if isinstance(expr, sp.Symbol):
        return Letter(expr.name, _kind(expr))
    if isinstance(expr, sp.Rational):
        return number(str(expr))
    if expr in (sp.pi, sp.E):
        return Applied({sp.pi: "pi", sp.E: "e"}[expr], ())
    if isinstance(expr, sp.Add):
        first, *rest = readable(expr.as_ordered_terms())
        found = from_sympy(first)
        for one in rest:
            negative = one.could_extract_minus_sign()
            found = found - from_sympy(-one) if negative else found + from_sympy(one)
        return found
    if isinstance(expr, sp.Mul):
        return _product(expr)
    if isinstance(expr, sp.Pow):
        if not expr.is_commutative:
            return from_sympy(expr.base) ** number(str(expr.exp))
        if expr.exp == sp.Rational(1, 2):
            return Applied("sqrt", (from_sympy(expr.base),))
        if expr.exp.could_extract_minus_sign():
            return number(1) / from_sympy(1 / expr)
        return from_sympy(expr.base) ** from_sympy(expr.exp)
    if type(expr) in _LAWS:  # whose letters that commute are names
        return of_terms(type(expr), expr.args)
    if isinstance(expr, UndefinedFunction):  # which has a property where nothing is assumed
        return Letter(expr.__name__, "positive function" if expr.is_positive is True else "function")
    if isinstance(expr, AppliedUndef):
        return Applied("of", (from_sympy(expr.func), *map(from_sympy, expr.args)))
    if isinstance(expr, sp.Derivative):
        found = from_sympy(expr.expr)
        for by, times in expr.variable_count:
            for _ in range(int(times)):
                found = Applied("partial", (found, from_sympy(by)))
        return found
    word = _FUNCTIONS.get(type(expr))
    if word is None:
        raise UnusableInput(
            "sums, products, powers, exp and log of letters", str(expr), "use other words"
        )
    return Applied(word, tuple(map(from_sympy, expr.args)))


def of_terms(word: Any, parts: tuple[Any, ...]) -> Term:
    """A word of SymPy's applied to terms, as a word of ours."""
    found = _LAWS.get(word) or _FUNCTIONS.get(word)
    if found is None:
        raise UnusableInput("words of terms", word.__name__, "use other words")
    return Applied(found, tuple(_named(x) if word in _LAWS else term(x) for x in parts))


def _named(part: Any) -> Term:
    """A letter that commutes is a name."""
    is_name = getattr(part, "is_Symbol", False) and part.is_commutative
    return Name(str(part)) if is_name else term(part)


def _product(expr: Any) -> Term:
    if expr.could_extract_minus_sign():
        return -from_sympy(-expr)
    above, below = sp.fraction(expr)
    if below != 1:
        return from_sympy(above) / from_sympy(below)
    return product(map(from_sympy, expr.as_ordered_factors()))


_OF_DATA = {made: kind for kind, made in batchwords.KINDS.items()}


def _kind(symbol: Any) -> str:
    if type(symbol) in _OF_DATA:
        return _OF_DATA[type(symbol)]
    if not symbol.is_commutative:
        return "matrix"
    if symbol == D:
        return "dimension"
    if symbol.is_integer and symbol.is_positive:
        return "count"
    if symbol.is_positive:
        return "positive"
    return "nonnegative" if symbol.is_nonnegative else "real"
