"""The weakest conditions under which a statement holds that is false in general."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sgtheory.notation.sentence import Sentence, listed, say
from verification.refuter.conditions import Condition
from verification.refuter.lattice import implies
from verification.refuter.parameters import is_one
from verification.refuter.places import Place, Space
from verification.relations.base import Relation
from verification.relations.compare import Compare
from verification.statements import telling
from verification.terms.walking import able
from verification.theories.subject import matrices_of
from verification.verdicts.verdict import Evidence

_FURTHER = 12  # of one without a proof
_PLACES, _DRAWS = 3, 40  # random places at which it has to hold, and from which one is taken
_TRIES = 60  # for such a place: many steps are too large for a law
_EMPTY = 3  # times that no place is found, after which there are none: moments that no law has
_SIZES = ("N", "S")  # of data and of a minibatch
_LOOKED_AT = 200  # small places under the end of a range
_COINCIDING = 40  # small places under a condition


@dataclass(frozen=True)
class Mined:
    """A condition under which a claim holds, and how well that is known."""

    condition: Condition
    proof: Evidence | None
    told: bool = True  # else it only leads to places
    moving: tuple[Any, ...] = ()  # letters for all of whose values the claim is made

    @property
    def words(self) -> Sentence:
        """The condition; on a letter that moves, among which values of it."""
        return telling.condition(self.condition, self.moving)

    def evidence(self) -> Evidence:
        """What the miner found, for the verdict."""
        known = "is proved" if self.proof else f"holds at {_PLACES + _FURTHER} random exact places"
        among = listed((a for a in self.moving if a.name in self.condition.letters), by=" and ")
        words = say("Under the condition that {} the claim {}.", self.condition.words, known)
        if among:
            words = say(
                "Of those {} alone for which {} the claim {}.", among, self.condition.words, known
            )
        return Evidence(
            "search",
            words,
            {"condition": self.words, "proved": self.proof is not None},
            self.proof.derivation if self.proof else None,
        )


def mine(question: Any, failing: Place | None = None) -> tuple[Mined, ...]:
    """The weakest conditions that make a statement true, proved ones first.

    One without a proof is told where it holds at more places, for certain, and nowhere it fails.
    """
    letters, space = matrices_of(question.space), question.space
    found: list[Condition] = []
    for condition in able(lambda: question.known.lattice(question.statement, space), ()):
        if any(implies(condition, weaker, letters) for weaker in found):
            continue
        if _holds_under(question, condition):
            found.append(condition)
    alone = (is_one(n) for n in _SIZES if found and n in space.scalars)
    found += [c for c in alone if not _is_said(space, c, found) and _holds_under(question, c)]
    proofs = {c: proof_under(question, c) for c in found}
    mined = [
        Mined(c, p, p is not None or _is_certain(question, c, failing), question.moving)
        for c, p in proofs.items()
    ]
    return tuple(sorted(mined, key=lambda m: m.proof is None))


def _is_said(space: Space, strong: Condition, found: list[Condition]) -> bool:
    """Whether one of some conditions on numbers holds at all places that are looked at under another."""
    numbers = [one for one in found if all(part.on_numbers for part in one.parts)]
    places = [strong.imposed(place) for place in islice(space.small(), _COINCIDING)] if numbers else []
    return any(all(map(one.holds, places)) for one in numbers)


def for_all_values(mined: tuple[Mined, ...]) -> tuple[Condition, ...]:
    """The proved ones; what is claimed of all values of a letter none on it, where there is another."""
    proved = [m for m in mined if m.proof is not None]
    among = [m for m in proved if any(a.name in m.condition.letters for a in m.moving)]
    return tuple(m.condition for m in proved if m not in among or len(among) == len(proved))


def proof_under(question: Any, condition: Condition) -> Evidence | None:
    """The proof under a condition, where there is one."""
    narrower = question.under(condition)
    return telling.proof_under(narrower.answers) if narrower.proved else None


def _holds_under(question: Any, condition: Condition) -> bool:
    """At random places, and at small ones: random numbers never coincide, which hides conditions."""
    source, narrower = random.Random(f"{question.seed} {condition.words}"), question.under(condition)
    held = found = 0
    for times in range(1, _TRIES + 1):
        drawn = (narrower.random(source) for _ in range(_DRAWS))
        place = next((p for p in drawn if p is not None), None)
        found += place is not None
        if times == _EMPTY and not found:
            return False
        seen = None if place is None else narrower.seen(place)
        if seen is not None and not seen.holds:
            return False
        held += seen is not None
        if held == _PLACES:
            inside = (p for p in question.space.small() if condition.holds(p))
            return not any(_fails(question, p) for p in islice(inside, _COINCIDING))
    return False


def _is_certain(question: Any, condition: Condition, failing: Place | None) -> bool:
    if failing is not None and able(lambda: condition.holds(failing), True):
        return False
    source = random.Random(f"{question.seed} {condition.words} further")
    narrower = question.under(condition)
    drawn = (narrower.random(source) for _ in range(_DRAWS * _FURTHER))
    for place in islice((p for p in drawn if p is not None), _FURTHER):
        seen, values = narrower.seen(place), narrower.values(place)
        if seen is not None and not seen.holds:
            return False
        if values is not None and not all(one.is_sure_at(values) for one in narrower.spelt.relations):
            return False
    return True


def _fails(question: Any, place: Place) -> bool:
    seen = question.seen(place) if question.admits(place) else None
    return seen is not None and not seen.holds


def edges(question: Any) -> Iterator[Relation]:
    """Where the theory knows how far an order holds."""
    relation, *others = question.statement.relations
    if others or not hasattr(relation, "upward"):
        return
    small, large, may_be_equal = relation.upward
    for found in able(lambda: list(question.known.edges(small, large, may_be_equal)), []):
        condition = Compare(*found)
        narrower = question.under(condition)
        if narrower.failure(_LOOKED_AT) is None and narrower.proved:
            yield condition
