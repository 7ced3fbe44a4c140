"""The one order in which a statement is decided, whatever its relations and the theories of its words.

A proof; exact numbers at places; the smallest counterexample; the weakest condition; what is true
instead; how near it comes to being violated; corrupted twins. Where there are no letters left, the one
place there is decides, and the exported script has to come to the same by its own arithmetic.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import DecimalException
from fractions import Fraction
from functools import cached_property
from typing import Any

from verification.dualproof import another
from verification.miner.conditions import Condition, restrict
from verification.refuter.climb import Summit, climb
from verification.refuter.places import Place, Space
from verification.refuter.script import run
from verification.refuter.search import Failure, Look, Sides, refute, shrink
from verification.relations.base import Relation
from verification.relations.joined import All
from verification.statements import conditions, telling
from verification.statements.scripts import says, script_of
from verification.terms.comparing import OTHER, compared, moved
from verification.terms.term import Applied, Term
from verification.terms.words import owners
from verification.theories.answers import Answer, Disproved, Proved, Seen, Silence, Silent
from verification.theories.matrices import calm, opened, shown, solved
from verification.verdict import (
    Counterexample,
    Evidence,
    Finding,
    differ,
    unseen_by_script,
)
from verification.word import chosen_word, of_false, of_true

_RANDOM_PLACES, _LOOKED_AT, _SEARCHED, _FEW = 3, 60, 1_000, 150
_OF_LAWS, _OF_CHANGES = 200, 400  # places at which laws are solved, once or twice
EQUATIONS = ("=", "=c=")


@dataclass(frozen=True)
class Asked:
    """A statement under what is given, printed numbers put in, and everything that is asked of it."""

    statement: Any
    given: tuple[Relation, ...]
    space: Space
    seed: str
    conditions: tuple[Condition, ...] = ()
    law: Any = None  # of the sampler, where it is about one, or about matrices
    steps: Any = None  # what is known of sequences, where it is about some
    meant: Any = None  # what a statement in the letters of the source says in those of the problem

    def under(self, condition: Relation | Condition) -> Asked:
        """The same under one more condition."""
        if isinstance(condition, Condition):
            return replace(self, conditions=(*self.conditions, condition))
        return replace(self, given=(*self.given, condition))

    def saying(self, statement: Any) -> Asked:
        """Another statement under the same."""
        return replace(self, statement=statement)

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """What theories make of its relations."""
        return tuple(self.ask(one, "prove") for one in self.statement.relations)

    def ask(self, relation: Relation, what: str) -> Any:
        """What a relation makes of the theory of its words, under what is given."""
        return asked_of(relation, what, self.given, self.conditions, self.law, self.steps)

    @cached_property
    def spelt(self) -> Any:
        """The statement as places see it: about sequences, one for each of a few numbers of steps."""
        if self.steps is None:
            return self.statement
        return All(*(one.statement for _, one in self.by_steps()))

    def by_steps(self) -> Iterator[tuple[int, Asked]]:
        """Each of its relations for a few numbers of steps, few steps first, in its own letters."""
        written = (pair for r in self.statement.relations for pair in self.steps.written_out(r))
        for n, one in sorted(written, key=lambda pair: pair[0]):
            space = Space({}, {a.name: a.kind for a in one.letters}, most=self.space.most)
            yield n, replace(self, statement=one, steps=None, space=space)

    def failing(self, place: Place) -> tuple[Any, Place]:
        """What fails at a place, and the place with its number of steps."""
        if self.steps is None:
            return self.statement, place
        for n, one in self.by_steps():
            seen = one.seen(place) if set(one.space.scalars) <= set(place.scalars) else None
            if seen is not None and not seen.holds:
                count = {} if self.steps.count is None else {self.steps.count.name: Fraction(n)}
                return one.statement, Place({}, {**count, **place.scalars})
        raise ArithmeticError("nothing fails there")

    @property
    def equating(self) -> bool:
        """Whether it has equations between matrices, or of a law."""
        relations = self.statement.relations
        return self.law is not None and any(one.relation in EQUATIONS for one in relations)

    @cached_property
    def moving(self) -> tuple[Any, ...]:
        """The letters that take a second value at each place."""
        return tuple(a for one in self.statement.relations for a in one.constant_in)

    @property
    def limiting(self) -> bool:
        """Whether it is about what happens on the way to a limit."""
        return any(one.limiting for one in self.statement.relations)

    @property
    def constant(self) -> bool:
        """Whether there are only numbers in it, so that one place decides."""
        return not (self.space.scalars or self.space.matrices or self.limiting)

    @property
    def is_plausible(self) -> bool:
        """Whether it holds at the first random place that says anything: proofs cost more."""
        source = random.Random(self.seed)
        places = (self.random(source) for _ in range(8 * _RANDOM_PLACES))
        seen = (self.seen(place) for place in places if place is not None)
        return bool(next((s.holds for s in seen if s is not None), False))

    @property
    def proved(self) -> bool:
        """Whether all of its relations are proved."""
        return all(isinstance(a, Proved) for a in self.answers)

    def admits(self, place: Place) -> bool:
        """Whether what is given holds at a place."""
        here = place.scalars if self.law is None else opened(self.law, (), place)
        there = (place, *([self.moved(place)] if self.moving and self.law is not None else ()))
        return all(c.holds(p) for c in self.conditions for p in there) and all(
            (s := one.at(here)) is not None and s.holds for one in self.given
        )

    def moved(self, place: Place) -> Place:
        """A place with the second values of the letters that move."""
        given: dict[str, Any] = {**place.matrices, **place.scalars}
        return place.but(**{n: given[n + OTHER] for n in moved(self.moving)})

    def values(self, place: Place) -> Mapping[str, Any] | None:
        """What letters are worth at a place; None where there is no law. On a way it is solved there."""
        if self.law is None:
            return place.scalars
        if not self.limiting:
            solution: Mapping[str, Any] | None = solved(self.law, self.sides, place)
            return solution
        found: Mapping[str, Any] = opened(self.law, self.sides, place)
        return found

    @property
    def sides(self) -> tuple[Term, ...]:
        """Every side, and what is set on the way to a limit."""
        relations = self.statement.relations
        return tuple(t for r in relations for t in (*r.sides, *(r.way.terms if r.limiting else ())))

    def seen(self, place: Place) -> Seen | None:
        """What it says at a place; nothing where the arithmetic does not exist."""
        try:
            values = self.values(place)
            found: Seen | None = None if values is None else self.spelt.at(values)
        except (ZeroDivisionError, TypeError):  # a pole, a singular matrix, no exact root
            return None
        return found

    def random(self, source: random.Random) -> Place | None:
        """A random place under what is given; None where that leads out of the space.

        Matrices of equations have two dimensions: in one they commute, and much holds.
        """
        place = self.space.random(source, 2 if self.equating and self.space.matrices else None)
        for condition in self.conditions:
            place = restrict(place, condition)
        for letter in self.moving:
            touching = [p for c in self.conditions for p in c.parts if letter.name in p.letters]
            (name,) = moved((letter,))
            if touching and name in place.matrices:
                changed = {name + OTHER: another(place.matrices[name], touching, source)}
                place = place.but(**changed)
        place = calm(self.law, place) if self.equating else place
        return place if self.admits(place) and self.space.has(place) else None

    def look(self) -> Look:
        """What it says at a place."""

        def at(place: Place) -> Sides | None:
            seen = self.seen(place)
            return None if seen is None else Sides(seen.left, seen.right, seen.holds)

        return at

    def failure(self, evaluations: int) -> Failure | None:
        """The smallest exact place at which it is false: small ones first, then towards a violation."""
        if self.steps is not None:
            return next((f for _, one in self.by_steps() if (f := one.failure(evaluations))), None)
        most = evaluations if self.law is None else min(evaluations, _OF_LAWS)
        if self.equating:
            most = min(evaluations, _OF_CHANGES) if self.moving else evaluations
        found = refute(self.look(), self.space, self.admits, evaluations=most)
        if found is not None or evaluations < _SEARCHED:
            return found
        summit = self.summit
        if summit is None:
            return None
        seen = self.seen(summit.place)
        if seen is None or seen.holds:
            return None
        sides = Sides(seen.left, seen.right, False)
        return shrink(Failure(summit.place, sides), self.look(), self.space, self.admits)

    @cached_property
    def summit(self) -> Summit | None:
        """Where it comes nearest to being violated, for relations of which that can be said."""
        if len(self.spelt.relations) != 1 or not self.spelt.relations[0].one_sided:
            return None
        (relation,) = self.statement.relations

        def ratio(place: Place) -> Fraction | None:
            values = self.values(place)
            found = None if values is None else compared(relation.left, relation.right, values)
            value: Fraction | None = None if found is None else relation.ratio(found)
            return value

        return climb(ratio, self.space, self.admits)

    def at_random(self) -> list[bool]:
        """What it says at a few random places."""
        source, held = random.Random(self.seed), []
        for _ in range(8 * _RANDOM_PLACES):
            place = self.random(source)
            seen = None if place is None else self.seen(place)
            held += [] if seen is None else [seen.holds]
            if len(held) == _RANDOM_PLACES or held[-1:] == [False]:
                break
        return held


def asked(claim: Any, time: str | None = None) -> Asked:
    """What is asked of a claim."""
    law = claim.law(time or claim.time)
    given = (*claim.given_relations, *conditions.as_relations(claim.conditions))
    own = (claim.space(), claim.id, claim.conditions, law, claim.steps, claim.meant)
    return Asked(claim.at_numbers, given, *own)


def find(claim: Any, time: str | None = None) -> Finding:
    """What proofs and exact numbers say of a claim."""
    question = asked(claim, time)
    if question.constant:
        return _by_numbers(claim, question.statement)
    failure = question.failure(_LOOKED_AT if question.proved else _searched(question))
    held = question.at_random()
    evidence = (
        telling.proof(question.statement.relations, question.answers),
        telling.random_places(held, failure),
    )
    if question.proved and (failure is not None or not all(held)):
        where = f" at {failure.place.to_json()}" if failure is not None else ""
        raise differ(claim.id, "symbols", "it holds", "exact numbers", f"it fails{where}")
    if failure is None and held and any(isinstance(a, Disproved) for a in question.answers):
        seen = "it holds at every place that was looked at"
        raise differ(claim.id, "symbols", "it fails", "exact numbers", seen)
    reason = telling.reason(question.answers, failure is not None)
    if failure is None:
        gaps = [question.ask(r, "gap") for r in question.statement.relations if question.proved]
        gap = next((g for g in gaps if g is not None), None)
        finding = Finding(of_true(question.proved, bool(held)), reason, evidence, gap=gap)
    else:
        finding = _false(claim, question, failure, evidence, reason)
    summit = question.summit
    near = () if summit is None else (telling.nearest(summit, finding.verdict),)
    return replace(finding, evidence=(*finding.evidence, *near))


def _searched(question: Asked) -> int:
    """Few places for formulas whose difference is known; all for what has no proof and may hold."""
    known = any(isinstance(a, Silent) and a.left_over for a in question.answers)
    return _FEW if known else _SEARCHED


def _false(
    claim: Any, question: Asked, failure: Failure, evidence: tuple[Evidence, ...], reason: str
) -> Finding:
    """What is false in general: under which condition it holds, or what is true instead."""
    corrected = conditions.correction(claim, question)
    found, mined = conditions.found(question)
    gap = conditions.gap(question) if question.equating else None
    if mined:
        _, needs = chosen_word(mined, gap)
        found = found if needs is not None else ()
    if gap is not None and not found:
        reason = telling.IN_THE_LIMIT
    evidence = (*evidence, *(m.evidence() for m in mined))
    if found and not mined and corrected is not None:  # a factor mends it: then it is a remark
        evidence, found = (*evidence, telling.remark(found[0])), ()
    words = " or ".join(map(telling.condition, found))
    if found:
        reason = telling.holds_where(words)
        evidence = (*evidence, telling.proof_under(question.under(found[0]).answers))
    shown, place = question.failing(failure.place)
    return Finding(
        of_false(bool(found), gap),
        reason,
        evidence,
        condition=words or None,
        needs=found[0] if found else None,
        gap=gap,
        corrected=corrected,
        counterexample=_counterexample(claim, shown, question.values(place) or {}, failure.sides, place),
    )


def prove(relation: Relation, given: tuple[Relation, ...] = ()) -> Answer:
    """What the theory of a relation's words makes of it."""
    answer: Answer = asked_of(relation, "prove", given)
    return answer


def asked_of(
    relation: Relation,
    what: str,
    given: tuple[Relation, ...],
    imposed: tuple[Condition, ...] = (),
    law: Any = None,
    steps: Any = None,
) -> Any:
    """A relation's ``prove``, ``gap`` or ``instead`` by the theory that owns its words."""
    every = [*relation.sides, *(side for one in given for side in one.sides)]
    heads = {t.head for side in every for t in side.subterms() if isinstance(t, Applied)}
    theories = {owners()[head] for head in heads} or {"scalars"}
    theory = steps if law is None else replace(law, given=imposed)
    if theory is None:
        if len(theories) > 1:  # until letters stand for what another theory owns
            return Silent(Silence.NO_THEORY) if what == "prove" else ()
        theory = importlib.import_module(f"verification.theories.{theories.pop()}")
    under = (*imposed, *conditions.in_symbols(given)) if relation.limiting else given
    return getattr(relation, what)(theory, under)


def _on_the_way(statement: Any) -> dict[str, str]:
    """A letter that goes to a limit, where no other letter has a number."""
    ways = [(r.way, r.points[0]) for r in statement.relations if r.limiting]
    return {way.letter.name: str(way.point(k)) for way, k in ways}


def _by_numbers(claim: Any, statement: Any) -> Finding:
    """A statement between numbers: in exact arithmetic or balls, and again in decimals."""
    evidence: list[Evidence] = []
    false = seen = None
    for relation in statement.relations:
        seen = relation.at({})
        if seen is None or (seen.alike and not isinstance(prove(relation), Proved)):
            return Finding("inconclusive", telling.undecided(relation), tuple(evidence))
        other = says(relation, {})
        if other is None:
            return Finding("inconclusive", telling.undecided(relation), tuple(evidence))
        if other is not seen.holds:
            in_balls = f"{relation.text()} is {seen.holds}"
            raise differ(claim.id, "balls", in_balls, "decimals", f"it is {other}")
        evidence.append(telling.numbers(seen))
        false = false or (None if seen.holds else seen)
    reason = telling.with_numbers(false or seen)
    if false is None:
        return Finding("proved", reason, tuple(evidence))
    numbers = claim.printed_numbers
    shown = _counterexample(claim, claim.statement, numbers, false, Place({}, numbers))
    return Finding("refuted", reason, tuple(evidence), counterexample=shown)


def _counterexample(
    claim: Any, statement: Any, values: Mapping[str, Any], seen: Sides | Seen, place: Place
) -> Counterexample:
    """The numbers, both sides there, and a script, which has to see it too."""
    script = script_of(statement, values, claim.heading)
    try:
        if run(script):
            raise unseen_by_script(claim.id)
    except DecimalException:  # numbers beyond all decimals: balls alone can tell
        script = ""
    law = getattr(values, "law", None)
    alone = place if law is None else shown(law, place)
    problem = (alone.to_json() or _on_the_way(statement)) | {
        letter.name: text for letter, text in claim.numbers
    }
    told_at = statement.relations[0].told_at + telling.second_values(place)
    return Counterexample(problem, seen.left, seen.right, told_at, script)
