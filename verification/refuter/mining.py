"""The weakest conditions under which a statement holds that is false in general."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from verification.refuter.conditions import Condition, implies
from verification.refuter.places import Place
from verification.refuter.search import seen
from verification.verdicts.verdict import Evidence

_PLACES = 3  # random places at which a claim has to hold under a condition
_COINCIDING = 40  # small places under a condition


@dataclass(frozen=True)
class Mined:
    """A condition under which a claim holds, and how well that is known."""

    condition: Condition
    proof: Evidence | None
    necessary_on: int  # small places at which the claim fails and no condition found holds
    exceptions: int  # small places at which the claim holds although no condition does

    @property
    def words(self) -> str:
        """The condition."""
        return self.condition.words

    @property
    def necessity(self) -> str:
        """Whether it is needed, in one phrase."""
        if self.necessary_on == self.exceptions == 0:
            return "small problems do not show whether it is needed"
        if self.exceptions == 0:
            problems = f"{self.necessary_on} small problem{'s' if self.necessary_on > 1 else ''}"
            return f"on {problems} it fails wherever no such condition holds"
        return "other problems satisfy it too, by coincidence of their numbers"

    def evidence(self) -> Evidence:
        """What the miner found, for the verdict."""
        known = "is proved" if self.proof else f"holds at {_PLACES} random exact places"
        return Evidence(
            "search",
            f"Under the condition that {self.words} the claim {known}; {self.necessity}.",
            {
                "condition": self.words,
                "proved": self.proof is not None,
                "fails_without": self.necessary_on,
                "exceptions": self.exceptions,
            },
            self.proof.derivation if self.proof else None,
        )


def mine(claim: Any, time: str) -> tuple[Mined, ...]:
    """The weakest conditions that make the claim true, proved ones first.

    Of a claim it asks for its ``id``, its ``space`` and how it ``look``s at places, whether it
    ``holds_at_random``, the ``lattice`` of conditions on its ``letters``, and a proof under one.
    """
    letters = claim.letters()
    found: list[Condition] = []
    for condition in claim.lattice(time):
        if any(implies(condition, weaker, letters) for weaker in found):
            continue
        if _holds_under(claim, time, condition):
            found.append(condition)
    failing, exceptions = _necessity(claim, time, found) if found else (0, 0)
    mined = [Mined(c, claim.prove_under(time, c), failing, exceptions) for c in found]
    return tuple(sorted(mined, key=lambda m: m.proof is None))


def _holds_under(claim: Any, time: str, condition: Condition) -> bool:
    """At random places, and at small ones: random numbers never coincide, which hides conditions."""
    source, seen_at = random.Random(f"{claim.id} {condition.words}"), 0
    for _ in range(4 * _PLACES):
        holds = claim.holds_at_random(time, source, condition)
        if holds is False:
            return False
        seen_at += holds is True
        if seen_at == _PLACES:
            inside = (p for p in claim.space().small() if condition.holds(p))
            return _counted(claim, time, islice(inside, _COINCIDING))[0] == 0
    return False


def _necessity(claim: Any, time: str, found: list[Condition]) -> tuple[int, int]:
    """At how many small places on which no condition holds the claim fails, and holds."""
    most = claim.necessity_looks
    outside = (p for p in claim.space().small() if not any(c.holds(p) for c in found))
    return _counted(claim, time, islice(outside, 4 * most), most)


def _counted(claim: Any, time: str, places: Iterable[Place], most: int = 0) -> tuple[int, int]:
    """At how many places the claim fails, and holds; up to so many, or up to the first failure."""
    failing = holding = 0
    look = claim.look(time)
    for place in places:
        sides: Any = seen(look, place)
        if sides is not None:
            failing += not sides.holds
            holding += sides.holds
        if (failing + holding == most) if most else failing:
            break
    return failing, holding
