"""The weakest conditions under which a claim holds that is false in general."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Protocol

from verification.miner.conditions import Condition, implies
from verification.refuter.places import Space
from verification.refuter.search import Look, seen
from verification.verdicts.verdict import Evidence

_PLACES = 3  # random places at which a claim has to hold under a condition
_COINCIDING = 40  # small places under a condition


class Minable(Protocol):
    """What the miner asks of a claim."""

    @property
    def id(self) -> str:
        """Its name, from which random places are seeded."""

    @property
    def necessity_looks(self) -> int:
        """At how many small places to look whether a condition is necessary."""

    def space(self) -> Space:
        """Where the claim is looked at."""

    def look(self, time: str) -> Look:
        """What the claim says at an exact place."""

    def letters(self) -> tuple[str, ...]:
        """The matrices on which a condition can lie."""

    def holds_at_random(
        self, time: str, source: random.Random, under: Condition | None = None
    ) -> bool | None:
        """Whether it holds at one random exact place under a condition; None: nothing is said there."""

    def prove_under(self, time: str, under: Condition) -> Evidence | None:
        """A proof under a condition, where the claim's prover has one."""

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """The conditions to try, the weak before the strong."""


@dataclass(frozen=True)
class Mined:
    """A condition under which a claim holds, and how well that is known."""

    condition: Condition
    proof: Evidence | None
    necessary_on: int  # small places at which the claim fails and no condition found holds
    exceptions: int  # small places at which the claim holds although no condition does

    @property
    def words(self) -> str:
        """The condition, and whether it is needed."""
        return self.condition.words

    @property
    def necessity(self) -> str:
        """One phrase."""
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


def mine(claim: Minable, time: str) -> tuple[Mined, ...]:
    """The weakest conditions that make the claim true, proved ones first."""
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


def _holds_under(claim: Minable, time: str, condition: Condition) -> bool:
    source = random.Random(f"{claim.id} {condition.words}")
    seen_at = 0
    for _ in range(4 * _PLACES):
        holds = claim.holds_at_random(time, source, condition)
        if holds is False:
            return False
        seen_at += holds is True
        if seen_at == _PLACES:
            return _holds_at_small_places(claim, time, condition)
    return False


def _holds_at_small_places(claim: Minable, time: str, condition: Condition) -> bool:
    """Random numbers never coincide; small ones do, and that is where conditions are missing."""
    look = claim.look(time)
    inside = (p for p in claim.space().small() if condition.holds(p))
    for place, _ in zip(inside, range(_COINCIDING), strict=False):
        sides: Any = seen(look, place)
        if sides is not None and not sides.holds:
            return False
    return True


def _necessity(claim: Minable, time: str, found: list[Condition]) -> tuple[int, int]:
    """At how many small places on which no condition holds the claim fails, and holds."""
    failing = exceptions = 0
    look = claim.look(time)
    outside = (p for p in claim.space().small() if not any(c.holds(p) for c in found))
    for place, _ in zip(outside, range(4 * claim.necessity_looks), strict=False):
        sides: Any = seen(look, place)
        if sides is not None:
            failing += not sides.holds
            exceptions += sides.holds
        if failing + exceptions == claim.necessity_looks:
            break
    return failing, exceptions
