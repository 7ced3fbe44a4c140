"""Equalities of matrices in one dimension, where each matrix is a number, and how far they are off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.longrun import long_run, long_run_of_squares
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.matrixwords import EE, SIGMA, A, C, Determinant, Diagonal, Entry, H, Trace
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import formula_of
from verification.laws.lagsums import SIGMA_LAGS, SQUARES_LAGS
from verification.laws.pair_form import DELTA, NOISE
from verification.notation import D
from verification.refuter.parameters import written_under
from verification.terms.asymptotics import Undecided, first_terms
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.matrices.balance import Balance


def gap_of(
    sides: tuple[Any, ...], step: Any, up_to_constant: bool, about: Balance, turned: Any
) -> Gap | None:
    """How far two sides are apart as the step, or what is small beside it, vanishes, in one dimension.

    In all others the discrete law tends to the process's as fast. Letters that are ``turned`` stand for
    a formula of themselves, as a gain that has the step in it: the gap is told in them.
    """
    if about.law_of is None:
        return None
    known = letters_in_one(sides, about)
    values = [written_under(at_numbers(side, known), about.equal_scalars) for side in sides]
    told = [(own, known[own], at_numbers(value, known)) for own, value in turned]
    return gap_between(values, step, up_to_constant, told)


def gap_between(values: Any, step: Any, up_to_constant: bool = False, turned: Any = ()) -> Gap | None:
    """The same of two numbers."""
    small, (letter,) = sp.Dummy(positive=True), step.free_symbols
    of_small = small if step == letter else 1 / small
    left, right = (sp.sympify(v).subs(letter, of_small) for v in values)
    try:
        if up_to_constant:
            terms = first_terms(left - right, small, count=2)
            term = next((t for t in terms if t.power > 0), None)
        else:
            term = first_terms(sp.cancel((left - right) / right), small, count=1)[0]
    except (Undecided, ZeroDivisionError):
        return None
    if term is None or not 0 < term.power < math.inf:
        return None
    written, parameter = sp.factor(term.written(small).subs(small, step)), plain(step)
    for own, number, value in turned:
        told = written.subs(value, number)
        if step not in told.free_symbols and number in told.free_symbols:
            written, parameter = told, own.name
    words = "gap beyond the constant" if up_to_constant else "relative gap"
    words += " in one dimension"
    return Gap(parameter, str(term.power), formula_of(written), words, not step.is_Symbol)


def has_gain(*exprs: Any) -> bool:
    """Whether the gain is in any of some formulas."""
    return any(H in sp.sympify(e).free_symbols for e in exprs)


def letters_in_one(exprs: tuple[Any, ...], about: Balance) -> dict[Any, Any]:
    """Each matrix as a positive number; Sigma from the formula at a pair of modes that are one."""
    names = {s for e in exprs for s in sp.sympify(e).free_symbols if not s.is_commutative}
    known: dict[Any, Any] = {s: sp.Symbol(s.name, positive=True) for s in names | {A, C, H}}
    known[sp.Symbol("I", commutative=False)] = sp.Integer(1)
    known[EE] = sp.Symbol("EE_ii", positive=True)
    known[A], known[C] = sp.Symbol("lambda_i", positive=True), sp.Symbol("C_ii", positive=True)
    known[H] = sp.Symbol("h_i", positive=True)
    if not has_gain(*exprs) and not any(s == H for s, _ in about.put):
        known[H] = sp.Integer(1)
    if about.law_of is not None:
        entry = stationary(about.law_of, about.time).entry("theta", "theta")
        a, c, h, f = known[A], known[C], known[H], known[EE]
        # coordinates in which the gain is one: H^(1/2) A H^(1/2), H^(1/2) C H^(1/2)
        at = {LI: h * a, LJ: h * a, NOISE: h * c, DELTA: 1, sp.Symbol("EE_ij", real=True): h * f}
        variance = sp.cancel(h * entry.subs(at, simultaneous=True))
        known[SIGMA] = written_under(variance, about.equal_scalars)
        pair = stationary(about.law_of, about.time)
        at[sp.Symbol("C_ii", real=True)] = h * c
        for letter, summed in ((SIGMA_LAGS, long_run), (SQUARES_LAGS, long_run_of_squares)):
            if letter in names:  # a square has two gains
                gains = h if letter == SIGMA_LAGS else h**2
                whole = sp.cancel(gains * summed(pair).subs(at, simultaneous=True))
                known[letter] = written_under(whole, about.equal_scalars)
        for letter, value in about.put:
            new = at_numbers(value, known)
            spelt = known.get(letter, letter)
            known = {k: (v if v == spelt else sp.sympify(v).subs(spelt, new)) for k, v in known.items()}
            known[letter] = new
    return known


def at_numbers(expr: Any, known: Mapping[Any, Any]) -> Any:
    """A formula with numbers for its letters; a trace or a determinant is the number itself."""

    def inner(m: Any) -> Any:
        return at_numbers(m, known)

    expr = sp.sympify(expr)
    if isinstance(expr, Trace | Determinant | Diagonal | Entry) or type(expr).__name__ == "Transpose":
        return inner(expr.args[0])
    if expr in known:
        return known[expr]
    if isinstance(expr, sp.Symbol) and expr.name == D.name:
        return sp.Integer(1)
    if not expr.args:
        return expr
    return expr.func(*(inner(a) for a in expr.args))
