"""Quantities of a law at a mode or a pair of modes: what symbols can say in any dimension."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import sympy as sp

from sgtheory.modepairs.longrun import long_run, long_run_of_squares
from sgtheory.modepairs.matrixform import blocks
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.matrixwords import Determinant, Entry, H, Trace
from sgtheory.notation.sentence import sentence
from sgtheory.setting import Setting
from verification.laws.lagsums import LAGS, SIGMA_LAGS, SQUARES_LAGS
from verification.laws.pair_form import (
    DELTA,
    NotInPairForm,
    pair_symbol,
    responses,
    substitute_law,
    to_pair,
)
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE, TIME_OF, is_matrix, letters
from verification.notation import D
from verification.refuter.conditions import Commute, Condition, OneDimensional
from verification.refuter.lattice import implies
from verification.terms.asymptotics import Undecided, first_terms

COMMUTE = Commute(("A", "C"))


@dataclass(frozen=True)
class General:
    """A quantity in symbols.

    ``parts`` are formulas in letters that are positive: a matrix has one for every noise, each the
    response at a pair of modes; a sum over the modes has its summand; any other scalar is one formula.
    """

    parts: tuple[Any, ...]
    form: str  # "matrix", "sum" or "formula"
    scope: str  # for which dimensions and matrices
    noises: tuple[Any, ...] = ()  # of a matrix: what each part is the factor of, C_ij or delta_ij

    def __post_init__(self) -> None:
        """Formulas stand between dollar signs in words."""
        object.__setattr__(self, "scope", sentence(self.scope))

    @property
    def at_equal_modes(self) -> tuple[Any, ...]:
        """The parts with both modes the same: their noise is positive there unless it vanishes."""
        return tuple(p.subs(LJ, LI) for p in self.parts)


def general(
    expr: Any,
    setting: Setting | None,
    time: str,
    given: tuple[Condition, ...] = (),
    others: Mapping[Any, Any] = MappingProxyType({}),
    way: Any = None,
) -> General | None:
    """A quantity in symbols, for every dimension; None where this route has no formula.

    ``others`` has what further letters are at a pair of modes. On a way on which the step vanishes a log
    determinant is that of the diagonal, with a letter for what is left out.

    >>> from sgtheory import registry
    >>> from verification.notation import A, Sigma
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> general(Trace(A * Sigma), sgd, "continuous").parts
    (eps*C_ii/(2*S),)
    """
    expr = sp.sympify(expr)
    moving = setting is not None and any(s in letters(expr) for s in ("Sigma", *LAGS, *TIME_OF))
    if not is_matrix(expr) and not expr.has(Trace, Determinant, Entry, D):
        return General((expr,), "formula", "for all values of its letters")
    if H.name in letters(expr) or (setting is None and moving):
        return None
    try:
        if is_matrix(expr):
            found = responses(with_law(to_pair(expr), setting, time, others))
            if any(implies(c, COMMUTE, ("A", "C")) for c in given):  # C_ij = 0 unless l_i = l_j
                equal = [sp.factor(r.subs(LJ, LI)) for r in found.values()]
                parts = tuple(r for r in equal if r != 0)
                return General(parts or (sp.Integer(0),), "matrix", "where $A$ and $B B^T$ commute")
            return General(
                tuple(found.values()) or (sp.Integer(0),),
                "matrix",
                "for every dimension, commuting or not",
                tuple(found),
            )
        step = None if setting is None or way is None or way.to != "0" else setting.sampler.step
        small = step if step is not None and step.name == way.letter.name else None
        return _scalar(expr, setting, time, given, others, small)
    except NotInPairForm:
        return None


def spelt(expr: Any, letter: Any) -> Any:
    """A formula with every symbol of a letter's name as that very letter, whatever its kind."""
    return expr.xreplace({s: letter for s in expr.free_symbols if s.name == letter.name})


def with_law(at_pair: Any, setting: Setting | None, time: str, others: Mapping[Any, Any]) -> Any:
    """A formula at a pair of modes with the law's moments, and others, put in."""
    at_pair = at_pair.subs(others)
    if setting is None:
        return at_pair
    for letter in (SIGMA_DISCRETE, SIGMA_CONTINUOUS):
        symbol = pair_symbol(letter)
        if at_pair.has(symbol):
            entry = stationary(setting, TIME_OF[letter.name]).entry("theta", "theta")
            at_pair = at_pair.subs(symbol, entry)
    lags = pair_symbol(SIGMA_LAGS)
    if at_pair.has(lags):
        at_pair = at_pair.subs(lags, long_run(stationary(setting, time)))
    own = {f"{name}_ij" for name in blocks(s.name for s in setting.state)}
    if not own.isdisjoint(s.name for s in at_pair.free_symbols):
        at_pair = substitute_law(at_pair, stationary(setting, time))
    return at_pair


def _scalar(
    expr: Any,
    setting: Setting | None,
    time: str,
    given: tuple[Condition, ...],
    others: Mapping[Any, Any],
    small: Any = None,
) -> General | None:
    """A sum over modes; in one dimension any formula at all."""
    single = any(isinstance(c, OneDimensional) for condition in given for c in condition.parts)
    commuting = single or any(implies(c, COMMUTE, ("A", "C")) for c in given)

    def at_pair(matrix: Any) -> Any:
        return with_law(to_pair(sp.expand(matrix)), setting, time, others)

    def mode(matrix: Any) -> Any:
        if single and setting is not None and matrix == SQUARES_LAGS:
            return at_one_mode(long_run_of_squares(stationary(setting, time)))
        return at_one_mode(at_pair(matrix))

    if single:
        whole = expr.replace(Trace, mode).replace(Determinant, mode)
        whole = whole.replace(Entry, lambda m, i, j: mode(m)).subs(D, 1)
        return General((whole,), "formula", "in one dimension")
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand_mul(expr, deep=False)):
        summand = _summand(term, mode, commuting, lambda matrix: _left_out(at_pair(matrix), small))
        if summand is None:
            return None
        total += summand
    logs = expr.has(Determinant)
    with_commuting = logs and (commuting or small is None)
    scope = (
        "where $A$ and $B B^T$ commute" if with_commuting else "for every dimension, commuting or not"
    )
    return General((total,), "sum", scope)


def _summand(term: Any, mode: Any, commuting: bool, left_out: Any) -> Any:
    """What one mode adds to a term: a trace, log det of a product, or the dimension, once."""
    pieces = term.atoms(Trace, Determinant) or ({D} if term.has(D) else set())
    if len(pieces) != 1:
        return None
    (piece,) = pieces
    drawn = False
    if isinstance(piece, Determinant):
        piece, drawn = sp.log(piece), not commuting
    factor = sp.cancel(term / piece)
    if factor.has(Trace, Determinant):
        return None
    if piece == D:
        return factor
    inner = mode(piece.args[0].args[0] if isinstance(piece, sp.log) else piece.args[0])
    if drawn and left_at_one_mode(inner):  # a determinant is that of the modes for a function of A
        rest = left_out(piece.args[0].args[0])
        return None if rest is None else factor * (sp.log(inner) + rest)
    return factor * (sp.log(inner) if isinstance(piece, sp.log) else inner)


def _left_out(at_pair: Any, small: Any) -> Any:
    """What a log determinant is beside that of the diagonal: of second order in what is beside it.

    Where the diagonal is a positive function of A to leading order and the entries of noises are smaller
    by a power of a letter that vanishes, it is at most the square of that power; else nothing is known.
    """
    if small is None:
        return None
    found = responses(at_pair)
    diagonal = found.pop(DELTA, sp.Integer(0))
    try:
        own, *others = [first_terms(e, small, count=1)[0] for e in (diagonal, *found.values())]
    except (Undecided, ZeroDivisionError):
        return None
    powers = [one.power - own.power for one in others]
    if not (
        powers
        and min(powers) > 0
        and abs(own.power) != math.inf
        and sp.sympify(own.coefficient).is_positive
    ):
        return None
    least = Fraction(2 * min(powers))
    return sp.Dummy("left_out", real=True) * small ** sp.Rational(least.numerator, least.denominator)


def left_at_one_mode(expr: Any) -> set[str]:
    """The names of entries of noises, and of other matrices, that a formula at one mode is left with."""
    return {s.name for s in expr.free_symbols if s.name.endswith("_ii")}


def at_one_mode(at_pair: Any) -> Any:
    """Both modes the same; the entries of a covariance there are not negative."""
    known = {LJ: LI, DELTA: sp.Integer(1)}
    for s in at_pair.free_symbols:
        if s.name.endswith(("_ij", "_ii")) and s != DELTA:
            known[s] = sp.Symbol(s.name.replace("_ij", "_ii"), positive=True)
    return sp.cancel(at_pair.subs(known))
