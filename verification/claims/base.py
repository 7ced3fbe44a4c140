"""The order in which claims are decided that are not said in the language of statements."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self

from verification.refuter.conditions import Condition, conditions, implies
from verification.refuter.parameters import OnScalars
from verification.refuter.places import Place, Space
from verification.refuter.script import run
from verification.refuter.search import Failure, Look, refute, seen
from verification.refuter.twins import corruptions, spread
from verification.statements import entry
from verification.statements.entry import Assumption, Hypothesis, Proof
from verification.statements.mining import Mined
from verification.terms.printed import RELATIONS, Printed
from verification.verdicts.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Gap,
    Twins,
    differ,
    unseen_by_script,
)
from verification.verdicts.wording import beside_a_failure, chosen_word, unshown

__all__ = ["RELATIONS", "Assumption", "Claim", "Hypothesis", "Printed", "Proof"]

_RANDOM_PLACES = 3
_COINCIDING = 40  # small places under a condition
_GLANCES, _LOOKED_AT, _SEARCHED = 3, 60, 1_000  # small places


@dataclass(frozen=True)
class Claim(entry.Claim):
    """A claim that proves, refutes and corrupts itself."""

    @property
    def necessity_looks(self) -> int:
        """At how many small places it is seen whether a condition is necessary."""
        return 400

    # -- what a claim type says about itself ----------------------------------------------------

    def space(self) -> Space:
        """Where the statement is looked at."""
        raise NotImplementedError

    def look(self, time: str) -> Look:
        """What the statement says at an exact place."""
        raise NotImplementedError

    def prove(self, time: str) -> Proof:
        """What the symbolic route says of the statement in general, under what is given."""
        return Proof(None, "No prover takes this statement.")

    def prove_under(self, time: str, under: Condition) -> Evidence | None:
        """A proof under a further condition, where the prover has one."""
        proof = self.under(under).prove(time)
        return proof.evidence[0] if proof.holds and proof.evidence else None

    def letters(self) -> tuple[str, ...]:
        """The matrices on which a condition can lie; C stands for its factor B."""
        return tuple("C" if n == "B" else n for n in self.space().matrices)

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """The conditions that are tried where it fails, the weak before the strong."""
        return conditions(self.letters())

    def random_place(
        self, source: random.Random, under: Condition | None = None, size: int | None = None
    ) -> Place | None:
        """A random place under what is given; None where that leads out of the space."""
        place = self.space().random(source, size)
        for condition in (*self.conditions, *([under] if under else [])):
            place = condition.imposed(place)
        within = all(c.holds(place) for c in self.conditions if isinstance(c, OnScalars))
        return place if within and self.space().has(place) else None

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """Whether it holds at a random place under a condition; None where nothing is said there."""
        place = self.random_place(source, under, size)
        sides = None if place is None else seen(self.look(time), place)
        return None if sides is None else sides.holds

    def correct(self, time: str) -> Correction | None:
        """What is true instead, with a proof of its own."""
        return None

    def gap(self, time: str) -> Gap | None:
        """How far off it is as a parameter vanishes."""
        return None

    # -- how it is decided, the same for every type ---------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """Prove, or refute and then say under which condition, to which order, and what is true."""
        time = time or self.time
        proof = self.prove(time)  # it wants a look at some places; its absence, a search
        failure = self.failure(time, _LOOKED_AT if proof.holds else _SEARCHED)
        tested = self.tested(time, expected=proof.holds)
        if proof.holds is True:
            if failure is not None or not tested.data["holds"]:
                fails = f"it fails at {failure.place.to_json()}" if failure else "it fails"
                raise differ(self.id, "symbols", f"it holds: {proof.reason}", "exact numbers", fails)
            if not (tested.data.get("places", 1) or self._says_something(time)):
                reason = f"{proof.reason} No exact place could be looked at, so nothing confirms it."
                return Finding("inconclusive", reason, (*proof.evidence, tested))
            return Finding("proved", proof.reason, (*proof.evidence, tested))
        if failure is None:
            return unshown(self.id, proof, tested, self._says_something(time))
        mined, gap = mine(self, time), self.gap(time)
        verdict, needs = chosen_word(mined, gap)
        return Finding(
            verdict,
            self.reason(verdict, time, mined, proof),
            (*proof.evidence, beside_a_failure(tested), *(m.evidence() for m in mined)),
            condition=" or ".join(m.words for m in mined if m.proof) if needs else None,
            needs=needs,
            gap=gap,
            corrected=self.correct(time),
            counterexample=self.shown(failure, time),
        )

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """One sentence: why the verdict is what it is."""
        if verdict == "proved-if":
            proved = [m for m in mined if m.proof is not None]
            return (
                f"It fails in general and holds when {' or '.join(m.words for m in proved)}:"
                f" {proved[0].necessity}. The paper does not state the condition."
            )
        return proof.reason

    def failure(self, time: str, evaluations: int = _SEARCHED) -> Failure | None:
        """The smallest exact place at which the statement is false."""
        return refute(
            self.look(time),
            self.space(),
            lambda p: all(c.holds(p) for c in self.conditions),
            evaluations=evaluations,
        )

    def shown(self, failure: Failure, time: str) -> Counterexample:
        """The counterexample with its script, which has to come to the same answer."""
        script = self.script(failure, time)
        if script and run(script):
            raise unseen_by_script(self.id)
        return replace(self.counterexample_of(failure, time), script=script)

    def script(self, failure: Failure, time: str) -> str:
        """A few lines of Python that show a failure; empty where a type has none."""
        return ""

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """A failure as it is shown."""
        left, right = (_as_text(s) for s in (failure.sides.left, failure.sides.right))
        return Counterexample(failure.place.to_json(), left, right, "left and right side")

    def tested(self, time: str, expected: bool | None = None) -> Evidence:
        """The other route: the statement at random exact places."""
        source = random.Random(self.id)
        held: list[bool] = []
        for _ in range(8 * _RANDOM_PLACES):
            holds = self.holds_at_random(time, source)
            held += [] if holds is None else [holds]
            if len(held) == _RANDOM_PLACES or holds is False:
                break
        words = "satisfy" if all(held) else "violate"
        looked = f"Random exact places {words} it ({len(held)} looked at)."
        return Evidence(
            "exact",
            looked if held else "No random exact place could be looked at.",
            {"places": len(held), "holds": all(held)},
        )

    def true_statement(self, finding: Finding) -> Self | None:
        """What the finding says is true: the claim, perhaps under a condition, or its correction."""
        if finding.verdict == "proved":
            return self
        if finding.needs is not None:
            return self.under(finding.needs)
        if finding.corrected is not None and finding.corrected.printed:
            return replace(self, printed=finding.corrected.printed)
        return None

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Corrupt what is printed, or what is true instead; the exact search must find a failure.

        ``most`` limits how many corruptions are tried; they are taken from all over the statement.
        """
        true = self.true_statement(finding)
        if true is None:
            return Twins(0, 0)
        tried = rejected = 0
        survivors, equivalent = [], []
        for name, twin in spread(true.corrupted(finding), most):
            if twin.fails_at_once(self.time):  # quicker than to prove anything of it
                tried, rejected = tried + 1, rejected + 1
            elif twin.says_the_same(true):
                equivalent.append(name)
            elif twin.is_caught(self.time):
                tried, rejected = tried + 1, rejected + 1
            elif twin.prove(self.time).holds:  # no lie after all: the prover shows that it is true
                equivalent.append(name)
            else:
                tried += 1
                survivors.append(f"{name}: holds wherever it was looked at, and no proof says why")
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def _says_something(self, time: str) -> bool:
        look, places = self.look(time), islice(self.space().small(), _LOOKED_AT)
        return any(seen(look, place) is not None for place in places)

    def fails_at_once(self, time: str) -> bool:
        """Whether the first few places show that it is false."""
        look = self.look(time)
        allowed = (p for p in self.space().small() if all(c.holds(p) for c in self.conditions))
        sides = (seen(look, place) for place in islice(allowed, _GLANCES))
        return any(s is not None and not s.holds for s in sides)

    def is_caught(self, time: str) -> bool:
        """Whether exact numbers show that it is false: small places first, then random ones."""
        if self.failure(time, _LOOKED_AT) is not None:
            return True
        source = random.Random(self.heading)
        return any(self.holds_at_random(time, source) is False for _ in range(_RANDOM_PLACES))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The statement with one side of one relation corrupted."""
        for k, printed in enumerate(self.printed):
            for side in ("left", "right"):
                for name, wrong in corruptions(getattr(printed, side)):
                    changed = replace(printed, **{side: wrong})
                    relations = (*self.printed[:k], changed, *self.printed[k + 1 :])
                    yield f"{side}: {name}", replace(self, printed=relations)

    def says_the_same(self, other: Self) -> bool:
        """Whether another statement of the type is equivalent: then it is no corruption."""
        return False


def _as_text(side: Any) -> Any:
    """A matrix or a number of a failure as it is kept in a file."""
    if isinstance(side, list | tuple):
        return [_as_text(x) for x in side]
    return side if isinstance(side, dict) else str(side)


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
    for _ in range(4 * _RANDOM_PLACES):
        holds = claim.holds_at_random(time, source, condition)
        if holds is False:
            return False
        seen_at += holds is True
        if seen_at == _RANDOM_PLACES:
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
