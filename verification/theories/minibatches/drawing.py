"""Conditions on how a minibatch is drawn, and on how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verification.notation import N, S
from verification.refuter.conditions import Condition
from verification.refuter.places import Place
from verification.theories import zeros

WITH, WITHOUT = "with replacement", "without replacement"
MARK = "without"  # the letter of a place that says how one draws: 1 without replacement


@dataclass(frozen=True)
class Drawing(Condition):
    """A condition on sizes, and on what may be drawn twice."""

    @property
    def reads(self) -> frozenset[str]:
        """How one draws, and how many; data alone do not show it."""
        return frozenset((MARK, "S"))

    @property
    def schemes(self) -> tuple[str, ...]:
        """The ways of drawing that it leaves."""
        return (WITH, WITHOUT)


@dataclass(frozen=True)
class Drawn(Drawing):
    """Minibatches are drawn with replacement, or without.

    >>> Drawn((), WITH).holds(Place({}, {"without": Fraction(0)}))
    True
    """

    scheme: str = WITH

    pattern = "the minibatch is drawn {self.scheme}"

    @property
    def schemes(self) -> tuple[str, ...]:
        """This one."""
        return (self.scheme,)

    def holds(self, place: Place) -> bool:
        """As the place says; with numbers and no mark one may draw the same twice."""
        known = bool(place.scalars)  # without numbers nothing is drawn, and nothing is said
        return known and place.scalars.get(MARK, 0) == Fraction(int(self.scheme == WITHOUT))

    def imposed(self, place: Place) -> Place:
        """A minibatch without repetitions is not larger than the data."""
        if MARK not in place.scalars:
            return place
        if self.scheme == WITH:
            return place.but(**{MARK: 0})
        return place.but(**{MARK: 1, "S": min(place.scalars["S"], place.scalars["N"])})


@dataclass(frozen=True)
class OneDrawn(Drawing):
    """A minibatch is one example."""

    pattern = "$S = 1$"

    def holds(self, place: Place) -> bool:
        """S is 1."""
        return place.scalars.get("S") == 1

    def imposed(self, place: Place) -> Place:
        """S becomes 1."""
        return place.but(S=1) if "S" in place.scalars else place


@dataclass(frozen=True)
class AllDrawn(Drawing):
    """Every minibatch is the whole data set."""

    pattern = "the minibatch is the whole data set, drawn without replacement"

    @property
    def schemes(self) -> tuple[str, ...]:
        """Without replacement."""
        return (WITHOUT,)

    def holds(self, place: Place) -> bool:
        """S is N, and no example comes twice."""
        return place.scalars.get(MARK) == 1 and place.scalars["S"] == place.scalars["N"]

    def imposed(self, place: Place) -> Place:
        """S becomes N."""
        return place.but(**{MARK: 1, "S": place.scalars["N"]}) if MARK in place.scalars else place


def is_told(scheme: str, condition: Condition) -> bool:
    """Whether a condition says no more than that one draws so."""
    return isinstance(condition, Drawn) and condition.scheme == scheme


def vanishing(condition: Condition) -> Any:
    """What is zero where a condition on sizes holds and nowhere else; None of others."""
    if isinstance(condition, OneDrawn):
        return S - 1
    return N - S if isinstance(condition, AllDrawn) else zeros.vanishing(condition)


REPLACED, NOT_REPLACED = Drawn((), WITH), Drawn((), WITHOUT)
DRAWINGS = (REPLACED, NOT_REPLACED, OneDrawn(()), AllDrawn(()))
