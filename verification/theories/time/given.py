"""What conditions on the matrices mean at a pair of modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.modepairs.pairs import LI
from sgtheory.notation.sentence import Sentence, say
from sgtheory.reader import exact
from verification.refuter.conditions import (
    AreProportional,
    Commute,
    Condition,
    IsIsotropic,
    OneDimensional,
)
from verification.refuter.places import Place
from verification.terms.comparing import nearly
from verification.terms.term import Letter, Term
from verification.theories.subject import ANYTHING, ITS_TIMES, About

SCALE = sp.Symbol("c", positive=True)


@dataclass(frozen=True)
class IsFormula(Condition):
    """A matrix of the problem is a formula in numbers and others, such as ``A = I/eps``.

    Where it says what the noise is, places need have no C of their own.
    """

    value: Term
    theory = "time"  # which takes it

    @property
    def words(self) -> Sentence:
        """The equation."""
        sides = {"C": "B B^T"}.get(self.letters[0], self.letters[0]), str(self.value)
        return say("${} = {}$", *(sides[::-1] if self == WELL_SPECIFIED else sides))

    def holds(self, place: Place) -> bool:
        """In exact numbers; not where a letter has none."""
        (name,), value = self.letters, self.at(place)
        if name == "C" and name not in place.matrices:
            return True
        return value is not None and place.value(name) == value

    def imposed(self, place: Place) -> Place:
        """The matrix becomes what the formula is."""
        (name,), value = self.letters, self.at(place)
        there = name != "C" or name in place.matrices
        return place.but(**{name: value}) if there and value is not None else place

    def at(self, place: Place) -> Any:
        """The formula's value at a place; None where a letter has none."""
        known = {**place.scalars, **place.matrices, "I": exact.identity(place.D)}
        if not all(a.name in known for a in self.value.letters):
            return None
        found = nearly(self.value, known)
        return None if found is None else tuple(map(tuple, found))


# the noise covariance is the curvature, as in a model from which the data are drawn
WELL_SPECIFIED = IsFormula(("C",), Letter("A", "matrix"))


def noise_and_modes(given: tuple[Condition, ...]) -> tuple[Any, bool, bool]:
    """C as a function of one eigenvalue (or None); whether two modes are one; the dimension is one."""
    noise, single, one = None, False, False
    for part in (p for c in given for p in c.parts):
        if isinstance(part, AreProportional) and set(part.letters) == {"A", "C"}:
            noise = SCALE * LI
        elif isinstance(part, IsIsotropic) and part.letters == ("C",):
            noise = SCALE
        elif isinstance(part, IsIsotropic | Commute) and set(part.letters) <= {"A", "C"}:
            single = True
        elif isinstance(part, OneDimensional):
            single = one = True
    return noise, single, one


def condition(relation: Any, about: About) -> Any:
    """That noise and curvature are one, which is read entry by entry; of words of time, any formula.

    Where the sampler has noise of its own, or a trace of it is taken, ``C = A`` stays an equation.
    """
    left, right = relation.left, relation.right
    if about.setting is None or relation.relation != "=":
        return None
    if not isinstance(left, Letter) or left.kind != "matrix":
        return None
    if isinstance(right, Letter) and {left.name, right.name} == {"A", "C"}:
        entries = not about.setting.sampler.noises and "matrices" not in about.theories
        return ITS_TIMES, WELL_SPECIFIED if entries or "time" in about.theories else None
    return (ANYTHING, IsFormula((left.name,), right)) if "time" in about.theories else None
