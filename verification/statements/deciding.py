"""The one order in which a statement is decided, whatever its relations and the theories of its words.

A proof; exact numbers at places; the smallest counterexample; the weakest condition; what is true
instead; how near it comes to being violated; corrupted twins. Where there are no letters left, the one
place there is decides, and the exported script has to come to the same by its own arithmetic.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial, reduce
from typing import Any

from sgtheory.errors import DeclarationError
from verification.laws.dependence import another
from verification.refuter.climb import Summit, climb
from verification.refuter.conditions import Condition
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Sides, refute, shrink, sparse
from verification.relations.base import Relation
from verification.relations.compare import Compare, as_conditions
from verification.relations.joined import All
from verification.statements import by_numbers, conditions, factors, obeying, stepping, telling
from verification.statements.apart import violated
from verification.statements.asking import asked_of, patiently
from verification.statements.converse import converse, false_where_much_agrees
from verification.statements.innumbers import gap as gap_in_numbers
from verification.statements.showing import counterexample, numbers_at
from verification.terms.comparing import OTHER, compared, moved, seconds_of
from verification.terms.term import Letter, Term, seconds
from verification.terms.walking import CANNOT, Unable, able
from verification.terms.words import theories_of
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent, scope_of
from verification.verdicts.verdict import Evidence, Finding, differ
from verification.verdicts.wording import chosen_word, of_false, of_true

_RANDOM_PLACES, _LOOKED_AT, _SEARCHED, _FEW = 3, 60, 1_000, 150
_OF_LAWS, _OF_CHANGES, _MANY = 200, 400, 30  # places where laws are solved; many letters
EQUATIONS = ("=", "=c=", "free of", "best", "iff")


@dataclass(frozen=True)
class Asked:
    """A statement under what is given, printed numbers put in, and everything that is asked of it."""

    statement: Any
    given: tuple[Relation, ...]
    space: Space
    seed: str
    conditions: tuple[Condition, ...]
    subject: Any  # what the theory knows whose statement it is
    meant: Any = None  # what a statement in the letters of the source says in those of the problem
    formulas: obeying.Kinds = ()  # what letters stand for, and of which kind that has to be
    entries: tuple[Relation, ...] = ()  # what is given of every entry of a sequence
    seconds: frozenset[str] = frozenset()  # letters for larger values of others, by name
    told_kinds = cached_property(obeying.told_kinds)  # that not every place obeys

    def under(self, condition: Relation | Condition | All) -> Asked:
        """The same under one more condition, or under several at once."""
        if isinstance(condition, All):
            return reduce(Asked.under, condition.relations, self)
        if isinstance(condition, Condition):
            return replace(self, conditions=(*self.conditions, condition))
        if condition.relation == "=" or condition.limiting:
            return self._with_known(condition)
        return replace(self, given=(*self.given, condition))

    def _with_known(self, known: Relation) -> Asked:
        """What an equation says of a letter, of the entries of a sequence or of a mean, put in."""
        statement, subject = self.statement, self.subject
        if isinstance(known.left, Letter):
            statement = statement.put({known.left: known.right})
        elif subject.stepwise:
            subject = subject.supposing(known)
        space = subject.narrowed(self.space, statement, known.left)
        return replace(self, statement=statement, subject=subject, space=space)

    def saying(self, statement: Any) -> Asked:
        """Another statement under the same."""
        return replace(self, statement=statement)

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """What theories make of its relations."""
        return tuple(self.ask(one, "prove") for one in self.statement.relations)

    @cached_property
    def known(self) -> Any:
        """What the theory knows under what is given."""
        return replace(self.subject, given=self.conditions)

    def ask(self, relation: Relation, what: str) -> Any:
        """What a relation makes of what the theory knows."""
        return asked_of(relation, what, self.given, self.conditions, self.known)

    @cached_property
    def spelt(self) -> Any:
        """The statement as places see it: about sequences, one for each of a few numbers of steps."""
        if not self.subject.stepwise:
            return self.statement.with_terms(self.subject.spelt)
        found = [one.statement for _, one in self.by_steps(self.limiting)]
        return All(*found) if found else self.statement

    def by_steps(self, long: bool = True) -> Iterator[tuple[int, Asked]]:
        """Each of its relations for a few numbers of steps, one first, then many, in its own letters."""
        return stepping.by_steps(self, long)

    @cached_property
    def obeyed(self) -> tuple[Relation, ...]:
        """What is given of a place, and what holds at every one; a letter that is chosen is in none."""
        if self.subject.stepwise:
            return tuple(r for n, one in self.by_steps(False) if n for r in one.given)
        chosen = {a for one in self.statement.relations for a in one.chosen}
        given = (one for one in self.given if chosen.isdisjoint(one.letters))
        return (*given, *self.subject.ordered(self.space))

    def failing(self, place: Place) -> tuple[Any, Place]:
        """What fails at a place, and the place with its number of steps."""
        if not self.subject.stepwise:
            return self.spelt, place
        for n, one in self.by_steps():
            seen = one.seen(place) if set(one.space.scalars) <= set(place.scalars) else None
            if seen is not None and not seen.holds:
                count = {self.subject.count.name: Fraction(n)} if n and self.subject.count else {}
                return one.statement, Place({}, {**count, **place.scalars})
        raise Unable("what fails there in few steps")

    @property
    def equating(self) -> bool:
        """Whether it has equations between matrices or of a law, orders of matrices, or counts."""
        relations = self.statement.relations
        return self.enumerated or (
            self.subject.solves
            and any(one.relation in EQUATIONS or one.between_matrices or one.counts for one in relations)
        )

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
        """Whether there are only numbers in it, and nothing is chosen, so that one place decides."""
        letters = (self.subject.stepwise, self.space.scalars, self.space.matrices)
        chosen = any(one.chosen for one in self.statement.relations)
        return not any((*letters, self.limiting, self.enumerated, chosen))

    @property
    def is_plausible(self) -> bool:
        """Whether it holds at the first random place that says anything: proofs cost more."""
        return bool(self.drawn) and self.drawn[0][1]

    @property
    def enumerated(self) -> bool:
        """Whether it is about data, and places go through all minibatches."""
        return bool(self.subject.decided_alike)

    @property
    def proved(self) -> bool:
        """Whether all of its relations are proved."""
        return all(isinstance(a, Proved) for a in self.answers)

    def admits(self, place: Place) -> bool:
        """Whether what is given holds at a place."""
        return obeying.admits(self, place)

    def moved(self, place: Place) -> Place:
        """A place with the second values of the letters that move."""
        given: dict[str, Any] = {**place.matrices, **place.scalars}
        return place.but(**seconds_of(given, self.moving))

    def values(self, place: Place) -> Mapping[str, Any] | None:
        """What letters are worth at a place; None where there is no law. On a way it is solved there."""
        opens = any(one.opens for one in self.statement.relations)
        work_out = self.subject.opened if opens else self.subject.solved
        found: Mapping[str, Any] | None = work_out(self.sides, place)
        return found

    @property
    def sides(self) -> tuple[Term, ...]:
        """Every side, and what is set on the way to a limit."""
        relations = self.statement.relations
        return tuple(t for r in relations for t in (*r.sides, *(r.way.terms if r.limiting else ())))

    def seen(self, place: Place) -> Sides | None:
        """What it says at a place; nothing where the arithmetic does not exist."""
        try:
            values = self.values(place)
            found: Sides | None = None if values is None else self.spelt.at(values)
        except (ZeroDivisionError, TypeError, *CANNOT):  # a pole, no exact root, no such word
            return None
        return found

    def random(self, source: random.Random, d: int = 2) -> Place | None:
        """A random place under what is given, or None; of one row matrices commute, and much holds."""
        drawn = stepping.space(self).random(source, d if self.equating and self.space.matrices else None)
        place = obeying.as_given(self, (*self.conditions, *self._bounds), self.subject.calm(drawn))
        if place is None:
            return None
        for letter in self.moving:
            touching = [p for c in self.conditions for p in c.parts if letter.name in p.letters]
            (name,) = moved((letter,))
            if touching and name in place.matrices:
                place = place.but(**{name + OTHER: another(place.matrices[name], touching, source)})
        return place if self.space.has(place) and self.admits(place) else None

    @cached_property
    def _bounds(self) -> tuple[Condition, ...]:
        """What is given of letters that places have, as conditions."""
        plain = (r for r in self.given if theories_of(r.sides) <= {"scalars"})
        return tuple(c for c in as_conditions(tuple(plain)) if set(c.letters) <= set(self.space.scalars))

    def failure(self, evaluations: int) -> Failure | None:
        """The smallest exact place at which it is false: small ones first, then towards a violation."""
        if self.subject.stepwise:
            each = self.by_steps(self.limiting or evaluations > _LOOKED_AT)
            return next((f for _, one in each if (f := one.failure(evaluations))), None)
        found = self._failing_place(evaluations)
        return found if found is None or self.obeys_all(found.place) else None

    def obeys_all(self, place: Place) -> bool:
        """Whether the numbers that are shown of a place obey what is given, by a route of their own."""
        return obeying.obeys_as_shown(self, numbers_at(self, place))

    def _failing_place(self, evaluations: int) -> Failure | None:
        if len(self.space.scalars) > _MANY or (self.subject.slow and self.limiting):
            return sparse(self.seen, self.space, self.admits, min(evaluations, _MANY))
        most = min(evaluations, _OF_LAWS) if self.subject.solves else evaluations
        if self.equating:
            most = min(evaluations, _OF_CHANGES) if self.moving else evaluations
            most = min(most, self.subject.most_looks or most)
        draw = self.random if self.equating or obeying.sets_by_matrices(self.given) else None
        found = refute(self.seen, self.space, self.admits, evaluations=most, draw=draw)
        found = found or next(map(self.shrunk, false_where_much_agrees(self)), None)
        if found is not None or evaluations < _SEARCHED:
            return found
        summit = None if self.summit is None else self.shrunk(self.summit.place)
        return summit or next(filter(None, map(self.shrunk, self._further_off())), None)

    def _further_off(self) -> Iterator[Place]:
        """Random places moved to where what is given of letters holds, and places of more dimensions."""
        if self._bounds and not self.subject.solves:
            source = random.Random(self.seed)
            yield from filter(None, (self.random(source) for _ in range(_SEARCHED)))
        yield from filter(self.admits, self.space.wide())

    def shrunk(self, place: Place) -> Failure | None:
        """A place at which it is false, made smaller."""
        sides, look = self.seen(place), self.seen
        false = None if sides is None or sides.holds else Failure(place, sides)
        found = None if false is None else shrink(false, look, self.space, self.admits)
        return found if found is None or self.obeys_all(found.place) else None

    @cached_property
    def summit(self) -> Summit | None:
        """Where it comes nearest to being violated, for relations of which that can be said."""
        many = self.enumerated or len(self.spelt.relations) != 1 or not self.subject.climbs
        if many or not self.spelt.relations[0].one_sided:
            return None
        (relation,) = self.spelt.relations

        def ratio(place: Place) -> Fraction | None:
            values = self.values(place)
            found = None if values is None else compared(relation.left, relation.right, values)
            value: Fraction | None = None if found is None else relation.ratio(found)
            return value

        return climb(ratio, self.space, self.admits)

    @cached_property
    def drawn(self) -> list[tuple[Place, bool]]:
        """Random places, as far as the first at which it is false, and whether it holds there."""
        source, found = random.Random(self.seed), []
        sizes = (2,) * 8 * _RANDOM_PLACES + self.space.sizes[:1] * _RANDOM_PLACES  # one row has no roots
        for place in (self.random(source, d) for d in sizes):
            seen = None if place is None else self.seen(place)
            found += [] if place is None or seen is None else [(place, seen.holds)]
            if len(found) == _RANDOM_PLACES or (found and not found[-1][1]):
                break
        return found

    def at_random(self) -> list[bool]:
        """What it says at a few random places."""
        return [holds for _, holds in self.drawn]


def asked(claim: Any, time: str | None = None) -> Asked:
    """What is asked of a claim."""
    claim = claim.in_time(time or claim.time)
    given = (*claim.given_relations, *conditions.as_relations(claim.conditions))
    own = (claim.space(), claim.drawn_by, claim.conditions, claim.subject(time), claim.meant)
    formulas, entries = obeying.kinds_of(claim.definitions), obeying.of_entries(claim)
    if own[3].stepwise:  # formulas of entries are written out as they are
        entries += tuple(Compare(one, ">", 0) for one, kind in formulas if kind != "real")
        formulas = ()
    statement = claim.at_numbers.among_given(given)
    if any(one.settling for one in statement.relations):
        formulas = tuple((own[3].spelt(one), kind) for one, kind in formulas)
    orders = (one for one in statement.relations if isinstance(one, Compare))
    second = frozenset(n for one in orders for n in seconds(one.left, one.right))
    return Asked(statement, given, *own, formulas, entries, second)


def find(claim: Any, time: str | None = None) -> Finding:
    """What proofs and exact numbers say of a claim."""
    question = asked(claim, time)
    if question.constant:
        return by_numbers.find(claim, question)
    if not question.subject.fits:
        told = question.statement.text()
        raise DeclarationError(f"two sides of {claim.key} whose shapes fit", told, "mend them")
    failure = question.failure(_LOOKED_AT if question.proved else _searched(question))
    held = question.at_random()
    failure = failure or next((question.shrunk(p) for p, holds in question.drawn if not holds), None)
    if question.proved and (failure is not None or not all(held)):
        where = f" at {failure.place.to_json()}" if failure is not None else ""
        raise differ(claim.id, "symbols", "it holds", "exact numbers", f"it fails{where}")
    general = [a for a in question.answers if isinstance(a, Disproved) and failure is None]
    if held and general and not question.given:  # under what is given it may be true
        raise differ(claim.id, "symbols", "it fails", "exact numbers", "it holds at all places seen")
    answers = [Silent(Silence.NO_CERTIFICATE) if a in general else a for a in question.answers]
    symbolic = telling.proof(question.statement.relations, answers)
    evidence = symbolic, telling.random_places(held, failure, question.spelt)
    reason = telling.reason(answers, failure is not None)
    if failure is None:
        gaps = [question.ask(r, "gap") for r in question.statement.relations if question.proved]
        gap = next((g for g in gaps if g is not None), None)
        verdict, scope = of_true(question.proved, bool(held)), scope_of(question.answers)
        finding = Finding(verdict, reason, evidence, gap=gap, scope=scope)
    else:
        finding = _false(claim, question, failure, evidence, reason)
    # a search that came nowhere near a place at which it fails tells nothing
    summit = question.summit
    missed = failure is not None and summit is not None and summit.value < 1
    near = () if summit is None or missed else (telling.nearest(summit, finding.verdict),)
    return replace(finding, evidence=(*finding.evidence, *near))


def _searched(question: Asked) -> int:
    """Few places for formulas whose difference is known; all for what has no proof and may hold."""
    known = any(isinstance(a, Silent) and a.left_over for a in question.answers)
    return _FEW if known and not question.subject.solves else _SEARCHED


def _false(
    claim: Any, question: Asked, failure: Failure, evidence: tuple[Evidence, ...], reason: str
) -> Finding:
    """What is false in general: under which condition it holds, or what is true instead."""
    late: list[Evidence] = []  # searches that were broken off
    instead = "what is true instead"
    mend = partial(able, lambda: conditions.correction(claim, question))
    corrected = patiently(instead, mend, None, late)
    way = next((r.approached for r in question.statement.relations if r.approached), None)
    either = question.equating or question.limiting or way is not None or question.subject.stepwise
    gap = conditions.gap(question) if either else gap_in_numbers(claim, question)
    if corrected is not None and factors.is_of_own_size(corrected):
        corrected = None
    mended = corrected is not None and not factors.repeats(corrected, question.statement)
    look = partial(conditions.found, question, mended, failure.place)
    none: Any = ((), ())  # what is right in the limit needs no condition
    found, mined = patiently("a condition", look, none, late) if gap is None or way is None else none
    if mined:
        _, needs = chosen_word(mined, gap)
        found = found if needs is not None else ()
    if corrected is None and not found and (gap is None or bool(getattr(claim, "laws", ()))):
        other = partial(able, lambda: conditions.otherwise(claim, question))
        corrected = patiently(instead, other, None, late)
    if gap is not None and not found:
        reason = telling.in_the_limit(gap) if way is None else telling.to_leading_order(way)
    evidence = (*evidence, *late, *(m.evidence() for m in mined if m.told))
    remarks = [e for r in question.statement.relations for e in question.ask(r, "remarks")]
    evidence += tuple(e for k, e in enumerate(remarks) if e not in remarks[:k])
    if found and not mined and mended:  # a factor mends it: then it is a remark
        evidence, found = (*evidence, telling.remark(found[0])), ()
    of = question.statement.relations[0]
    words = telling.either([telling.condition(one, question.moving, of) for one in found])
    beside, scope = None, ""
    if found:
        beside = converse(question, found, mined)
        more = telling.beside(found[0], question)
        reason = telling.holds_where(words, beside, claim.stands, more)
        proofs = question.under(found[0]).answers
        scope = scope_of(proofs)
        evidence = (*evidence, telling.proof_under(proofs), telling.of_converse(words, beside))
    shown, place = question.failing(failure.place)
    smallest = counterexample(claim, shown, question.values(place) or {}, failure.sides, place)
    corrected = corrected if mended or not found else None
    reason = violated(smallest) if reason == telling.BY_NUMBERS else reason
    first, word = (found[0] if found else None), of_false(bool(found), gap)
    told = (word, reason, evidence, words or None, first, beside, gap, corrected, smallest)
    return Finding(*told, scope=scope)
