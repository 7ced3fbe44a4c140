"""Quantities of a law at a mode or a pair of modes: what symbols can say in any dimension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.modepairs.longrun import long_run
from sgtheory.modepairs.matrixform import blocks
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.sentence import sentence
from sgtheory.setting import Setting
from verification.laws.lagsums import SIGMA_LAGS
from verification.laws.pair_form import (
    DELTA,
    pair_symbol,
    substitute_law,
)
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE, TIME_OF
from verification.refuter.conditions import Commute

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
