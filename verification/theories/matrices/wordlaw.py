"""The law of a step with matrices of its own: its equation in words is all that is known of it.

An equation of the law has one solution where the chain is stable, so what solves it is the law. No
coordinates are chosen in which a matrix is the identity, and nothing is taken for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from verification import notation
from verification.laws.fixed import Fixed, fixed_by
from verification.laws.pair_form import NotInPairForm, pair_symbol, to_pair
from verification.laws.per_mode import General
from verification.laws.rational import is_stable, own_matrices
from verification.refuter.conditions import Condition
from verification.refuter.lattice import conditions
from verification.refuter.lawscript import settling_lines
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term
from verification.terms.words import is_matrix
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices import elsewhere, reader, solving, wordproofs, wordsigns
from verification.theories.matrices.one_dimension import gap_between
from verification.theories.matrices.sampled import Sampled
from verification.theories.matrices.wordletters import Words
from verification.theories.subject import ITS_MATRICES, About, matrices_of
from verification.verdicts.verdict import Gap


@dataclass(frozen=True)
class WordLaw(Sampled):
    """A sampler on the quadratic model, in one reading of time, with what is given of its matrices."""

    setting: Any = None
    asks: bool = False  # whether the chain is stable

    rank = ITS_MATRICES

    @cached_property
    def fixed(self) -> tuple[Fixed, ...]:
        """The matrices that what is given fixes; what is given of the law's moments fixes one too."""
        return fixed_by([*self.told, *self.words.balanced(self.told)], self.words.names)

    @cached_property
    def words(self) -> Words:
        """The law in words."""
        kinds = {
            p.name: "positive definite" if p.is_positive else "any"
            for p in own_matrices(self.setting.sampler)
        }
        return Words(self, kinds | dict(self.kinds))

    # -- places ------------------------------------------------------------------------------------

    def space(
        self, sides: Iterable[Term], without: Iterable[Letter] = (), held: Iterable[str] = ()
    ) -> Space:
        """The letters of some terms, and the sampler's."""
        whole = super().space(sides, without, held)
        made = {one.name for one in self.fixed}
        kinds = {n: k for n, k in self.kinds if k in MATRIX_KINDS}
        told = {a.name for one in self.told for a in one.letters if a.kind == "matrix"}
        free = told - {"I", "A", "B", "C", "H", "EE^T", *self.words.names, *whole.matrices}
        matrices = {**whole.matrices, **dict.fromkeys(sorted(free), "positive definite"), **kinds}
        matrices = {n: "any" if n == "B" else k for n, k in matrices.items() if n not in made}
        scalars = {n: k for n, k in whole.scalars.items() if not (self.asks and n == "lambda")}
        return replace(whole, matrices=matrices, scalars=scalars)

    def completed(self, place: Place) -> Place | None:
        """A place with the matrices that follow from others; None where one is not of its kind."""
        found = solving.placed(self, place)
        for one in self.fixed:
            kind = self.words.kind(one.name)
            value = None if found is None else one.at(super().opened((), found), kind)
            if found is None or value is None:
                return None
            rest = {n: m for n, m in found.matrices.items() if one.name != "C" or n != "B"}
            found = replace(found, matrices={**rest, one.name: value})  # C then has no factor
        return found

    def problem(self, place: Place) -> dict[str, Any]:
        """A place as it is shown, with the matrices that follow."""
        return super().problem(self.completed(place) or place)

    def opened(self, sides: tuple[Term, ...], place: Place) -> Any:
        """The letters of a place, before any law is solved."""
        return super().opened(sides, self.completed(place) or place)

    def solved(self, sides: tuple[Term, ...], place: Place) -> Any:
        """The letters of a place and the moments there; where it is asked, whether it is stable."""
        there = self.completed(place)
        if there is None:
            return None
        found = super().solved(sides, there)
        return AtStep(found or super().opened(sides, there), self, there) if self.asks else found

    def is_possible(self, place: Place) -> bool:
        """Whether the matrices that follow are of their kinds."""
        return self.completed(place) is not None

    def calm(self, place: Place) -> Place:
        """With curvatures, and matrices that are not fixed, small enough for all to be of its kind.

        The step is stable then: as large as a factor of four allows.
        """
        if self.time != "discrete" or "A" not in place.matrices:
            return place
        names = {n for n in place.matrices if n == "A" or (n != "B" and self.fixed)}
        return solving.near_edge(self, place, names, self.completed) or place

    # -- at a pair of modes ------------------------------------------------------------------------

    def formula(self, side: Term, given: tuple[Condition, ...] = (), way: Any = None) -> General | None:
        """At a pair of modes of A, where the matrices that are fixed are known there."""
        if own_matrices(self.setting.sampler) or elsewhere.moments((side,)):
            return None
        known = self.at_pairs
        names = {f.name for f in self.fixed} - {str(x).removesuffix("_ij") for x in known}
        if names & {a.name for a in side.letters}:
            return None
        return reader.general(self.symbols(side), self.setting, self.time, given, known)

    @cached_property
    def at_pairs(self) -> dict[Any, Any]:
        """The matrices that are fixed by equations that are linear at a pair of modes: their entries."""
        found: dict[Any, Any] = {}
        for one in self.fixed:
            x = pair_symbol(one.name)
            try:
                sides = (to_pair(self.symbols(side)) for side in one.equation.sides)
                left, right = (side.subs(found) for side in sides)
            except NotInPairForm:
                continue
            rest = sp.expand(left - right)
            factor = rest.coeff(x, 1)
            value = sp.factor(sp.cancel(-rest.coeff(x, 0) / factor)) if factor != 0 else x
            found |= {} if value.has(x) else {x: value}
        return found

    # -- conditions --------------------------------------------------------------------------------

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """Conditions on the matrices that do not follow from others."""
        return conditions(matrices_of(space))

    def supposing(self, one: Any) -> WordLaw:
        """The same where a relation holds."""
        if hasattr(one, "upward"):
            return replace(self, bounds=(*self.bounds, one))
        matrices = one.relation == "=" and any(map(is_matrix, one.sides))
        return replace(self, told=(*self.told, one)) if matrices else self

    def follows(self, when: Any, statement: Any) -> Answer:
        """A condition as a consequence of an equation; or that a chain is stable nowhere else."""
        if statement.settling and hasattr(when, "upward"):
            return wordsigns.only_where(self, wordsigns.settles(self), when)
        if statement.relation != "=" or when.relation != "=":
            return Silent(Silence.NO_FORMULA)
        return self.supposing(statement).vanishes(when.left, when.right)

    # -- what relations ask ------------------------------------------------------------------------

    def vanishes(self, left: Term, right: Term) -> Answer:
        """By the equation of the law in normal form, or as the one solution that it has."""
        return wordproofs.vanishes(self, left, right)

    def has_sign(self, left: Term, right: Term, wanted: Any, given: Any = ()) -> Answer:
        """Of matrices: by what drives their difference."""
        if not (is_matrix(left) or is_matrix(right)):
            return Silent(Silence.NO_CERTIFICATE)
        return wordsigns.order(self.words, left, right, wanted)

    def settles(self, where: Any, wanted: bool, given: Any = ()) -> Answer:
        """By a matrix that each step makes smaller."""
        if not wanted or where:
            return Silent(Silence.NO_CERTIFICATE)
        return wordsigns.settles(self, tuple(given))

    def gap(self, left: Term, right: Term, moving: tuple[Letter, ...] = ()) -> Gap | None:
        """How far apart both sides are where all matrices commute, if they are one for the process."""
        if moving or self.time != "discrete" or self.setting.sampler.step is None:
            return None
        if elsewhere.moments((left, right)) or not self._in_the_limit(left, right):
            return None
        sides = wordproofs.in_numbers(self, left, right)
        return None if sides is None else gap_between(sides, self.setting.sampler.step)

    def _in_the_limit(self, left: Term, right: Term) -> bool:
        """Whether both sides are one to leading order in the step: for the process, or as a formula."""
        process = replace(self, time="continuous", _letters={})
        shown = isinstance(process.vanishes(left, right), Proved)
        return shown or wordproofs.to_leading_order(self, left, right)

    def mended(
        self, left: Term, right: Term, moving: tuple[Letter, ...] = ()
    ) -> Iterator[tuple[Term, Term]]:
        """The law's own equation, what solves it where that is a formula, and simple other factors."""
        if moving or elsewhere.moments((left, right)):
            return
        for one in wordproofs.instead(self, left, right):
            yield from_sympy(one[0]), from_sympy(one[1])

    def holds_only_where(self, relations: Any, needed: Any, given: Any = ()) -> bool:
        """Nothing is known of that."""
        return False


class AtStep(dict[str, Any]):
    """What letters are worth at a place, and whether the chain is stable there."""

    def __init__(self, values: Any, law: WordLaw, place: Place) -> None:
        super().__init__(values)
        self.law, self.place, self.lines = law, place, values.lines

    def settles(self, where: Any) -> bool | None:
        """By Schur's or Routh's test."""
        return None if where else is_stable(self.law.setting, self.place, self.law.time)

    def steps_in_a_script(self, where: Any) -> list[str]:
        """The eigenvalues of one step."""
        return settling_lines(self.law.setting, self.place, self.law.time)


def subject(about: About) -> WordLaw | None:
    """Of a sampler with matrices of its own, or one whose statement has a matrix that is fixed."""
    if about.setting is None:
        return None
    told = tuple(r for r in about.relations if r.relation == "=" and any(map(is_matrix, r.sides)))
    asks = any(one.settling for one in about.statement.relations)
    bounds = tuple(r for r in about.relations if hasattr(r, "upward"))
    known = about.setting, about.time, about.kinds, about.sets, about.given
    law = WordLaw(*known, asks, told=told, bounds=bounds)
    if own_matrices(about.setting.sampler):
        # Which gain is best is known where laws are formulas at pairs of modes.
        chosen = {a.name for one in about.statement.relations for a in getattr(one, "chosen", ())}
        return None if notation.H.name in chosen else law
    if asks:
        return None
    implicit = (one for one in law.fixed if one.value is None and one.name not in ("A", "C"))
    return law if next(implicit, None) is not None else None
