"""What conditions on the matrices mean at a pair of modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows
from sgtheory.modepairs.pairs import LI
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
from verification.terms.term import Term

SCALE = sp.Symbol("c", positive=True)


@dataclass(frozen=True)
class WellSpecified(Condition):
    """The noise covariance is the curvature: B B^T = A, as in a model from which the data are drawn."""

    letters: tuple[str, ...] = ("A", "C")
    theory = "time"  # which takes it

    @property
    def words(self) -> str:
        """``A = B B^T``."""
        return "A = B B^T"

    def holds(self, place: Place) -> bool:
        """Places of such statements have no C of their own."""
        return "C" not in place.matrices or place.C == place.A

    def impose(self, matrices: Any) -> dict[str, Rows]:
        """C becomes A."""
        return {**matrices, **({"C": matrices["A"]} if "C" in matrices else {})}


@dataclass(frozen=True)
class IsFormula(Condition):
    """A matrix of the problem is a formula in numbers and others, such as ``A = I/eps``."""

    value: Term
    theory = "time"  # which takes it

    @property
    def words(self) -> str:
        """The equation."""
        return f"{self.letters[0]} = {self.value}"

    def holds(self, place: Place) -> bool:
        """In exact numbers; not where a letter has none."""
        value = self._at(place)
        return value is not None and [list(r) for r in place.value(self.letters[0])] == value

    def impose(self, matrices: Any) -> dict[str, Rows]:
        """It is about numbers too."""
        return dict(matrices)

    def imposed(self, place: Place) -> Place:
        """The matrix becomes what the formula is."""
        value = self._at(place)
        return place if value is None else place.but(**{self.letters[0]: tuple(map(tuple, value))})

    def _at(self, place: Place) -> Any:
        known = {**place.scalars, **place.matrices, "I": exact.identity(place.D)}
        return nearly(self.value, known) if all(a.name in known for a in self.value.letters) else None


def noise_and_modes(given: tuple[Condition, ...]) -> tuple[Any, bool, bool]:
    """C as a function of one eigenvalue (or None); whether two modes are one; the dimension is one."""
    noise, single, one = None, False, False
    for part in (p for c in given for p in c.parts):
        if isinstance(part, WellSpecified):
            noise = LI
        elif isinstance(part, AreProportional) and set(part.letters) == {"A", "C"}:
            noise = SCALE * LI
        elif isinstance(part, IsIsotropic) and part.letters == ("C",):
            noise = SCALE
        elif isinstance(part, IsIsotropic | Commute) and set(part.letters) <= {"A", "C"}:
            single = True
        elif isinstance(part, OneDimensional):
            single = one = True
    return noise, single, one
