"""Does a statement hold anywhere beside the conditions that make it true?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

import sympy as sp

from verification.refuter.conditions import Condition, imposed
from verification.refuter.parameters import Is
from verification.refuter.places import Place
from verification.relations.base import Relation
from verification.relations.bounded import Bounded
from verification.relations.compare import as_conditions
from verification.relations.equal import Equal
from verification.relations.iff import Iff
from verification.statements.mining import Mined
from verification.statements.showing import numbers_at
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import OTHER, moved
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Number
from verification.terms.walking import able
from verification.theories.answers import Silent
from verification.verdicts.verdict import Converse, differ

_SMALL, _RANDOM, _DRAWS = 160, 6, 8  # places under a condition
_OF_LAWS, _OF_NUMBERS, _LOOKED_AT = (90, 6), (160, 60), 1_000  # small and random ones beside it
_STATES = 6  # other values of states, at a place
_PAIRS, _WIDE = 2, 2**50  # values of letters that move, and of what size


def converse(question: Any, found: tuple[Any, ...], mined: tuple[Mined, ...]) -> Converse:
    """What is known of a statement where none of the conditions holds under which it is proved.

    Where the miner saw it hold under others, without a proof, places that satisfy it are looked for
    first.
    """
    open_ = tuple(m.condition for m in mined if m.proof is None)
    proved, failing = _is_necessary(question, found), 0
    for place in _outside(question, found, open_, "converse"):
        holds = for_all_states(question, place)
        if holds and _is_empty_at(question, place):
            continue
        if holds and proved:
            where = f"it holds at {place.to_json()}"
            raise differ(question.seed, "symbols", "its condition is necessary", "exact numbers", where)
        if holds:
            return Converse(found, "sufficient", numbers_at(question, place), failing)
        failing += holds is False
    constant = None if proved else next(_constant(question, found), None)
    if constant is not None:
        return Converse(found, "sufficient", constant, failing)
    return Converse(found, "necessary" if proved else "not known", failing=failing)


def _constant(question: Any, found: tuple[Any, ...]) -> Iterator[dict[str, str]]:
    """A sequence of which no condition says anything, and under which, constant, it is proved."""
    told, step = {a for one in found for a in one.letters}, Letter("t", "index")
    letters = (a for a in question.statement.letters if a.kind == "sequence" and a not in told)
    for a in letters if question.subject.stepwise else ():
        entry, value = Applied("at", (a, step)), Letter(f"{a}_0", "real")
        if able(partial(_is_proved_where, question, Equal(entry, value)), False):
            yield {str(entry): str(value)}


def _is_proved_where(question: Any, given: Relation) -> bool:
    return bool(question.under(given).proved)


def _is_necessary(question: Any, found: tuple[Any, ...]) -> bool:
    """By a theory, by what is left over and vanishes nowhere else, or by a proof of *if and only if*."""
    silent = (a for a in question.answers if isinstance(a, Silent) and a.only_if is not None)
    if any(one.only_if == found[0] for one in silent):
        return True
    known, asked = tuple(as_conditions(question.given)), question.statement.relations
    if len(asked) == 1 and isinstance(asked[0], Bounded):
        return bool(able(lambda: _outgrows_at_zero(asked[0]), False))
    only = able(lambda: question.known.holds_only_where(asked, found, known), False)
    return bool(only) or (len(found) == 1 and _follows(question, found[0]))


def _outgrows_at_zero(bound: Bounded) -> bool:
    """Whether the left side over the right grows without end as their one letter vanishes."""
    (letter,) = bound.letters if len(bound.letters) == 1 else (None,)
    if letter is None or letter.kind != "positive":
        return False
    left, right = map(in_symbols, bound.sides)
    return bool(sp.limit(left / right, in_symbols(letter), 0, "+") == sp.oo)


def for_all_states(question: Any, place: Place) -> bool | None:
    """Whether a statement holds at a place, whatever its states are there."""
    seen = question.seen(place)
    if seen is None or not seen.holds:
        return None if seen is None else False
    values = question.values(place)
    source = random.Random(f"{question.seed} states")
    if question.moving and not question.limiting:
        return _as_letters_move(question, place, source)
    if not all(one.is_sure_at(values) for one in question.spelt.relations):
        return None
    others = (question.subject.redrawn(place, question.space, source) for _ in range(_STATES))
    seen_there = (question.seen(one) for one in others if one != place)
    return all(seen is None or seen.holds for seen in seen_there)


def _as_letters_move(question: Any, place: Place, source: random.Random) -> bool | None:
    """Whether it holds from any values of the letters that move to any others.

    Two pairs of values of fifty bits decide, as in ``laws/dependence``: by Schwartz and Zippel.
    """
    names = moved(question.moving)
    for _ in range(_PAIRS):
        first, other = (_redrawn(question, place, names, source) for _ in range(2))
        if first is None or other is None:
            return None
        seen = question.seen(first.but(**{n + OTHER: _given(other)[n] for n in names}))
        if seen is None or not seen.holds:
            return None if seen is None else False
    return True


def _redrawn(question: Any, place: Place, names: tuple[str, ...], source: random.Random) -> Place | None:
    """The place with other values of some letters, under what is given; None where others move too."""
    drawn = question.space.random(source, place.D, _WIDE)
    found = imposed(question.conditions, place.but(**{n: _given(drawn)[n] for n in names}))
    kept = {n: x for n, x in _given(place).items() if n not in names}
    return found if found is not None and kept.items() <= _given(found).items() else None


def _given(place: Place) -> dict[str, Any]:
    return {**place.matrices, **place.scalars}


def _is_empty_at(question: Any, place: Place) -> bool:
    """Whether equations come to 0 = 0 there, though neither side is a number."""
    relations = question.spelt.relations
    if any(r.relation != "=" or any(isinstance(s, Number) for s in r.sides) for r in relations):
        return False
    found = [one.found(question.values(place)) for one in relations]
    return all(one is not None and _is_zero(one.left) and _is_zero(one.right) for one in found)


def _is_zero(value: Any) -> bool:
    return all(map(_is_zero, value)) if isinstance(value, list | tuple) else bool(value == 0)


def inside(question: Any, condition: Any, seed: str) -> Iterator[Place]:
    """Random and small places at which a condition holds, imposed where it can be."""
    if question.subject.stepwise:  # a place has as many letters as there are steps
        return
    source = random.Random(seed)
    narrower = question.under(condition) if isinstance(condition, Condition) else question
    drawn = (narrower.random(source) for _ in range(_DRAWS * _RANDOM))
    places = islice((p for p in drawn if p is not None), _RANDOM)
    for place in (*places, *islice(question.space.small(), _SMALL)):
        if question.admits(place) and is_met(question, condition, place):
            yield place


def false_where_much_agrees(question: Any) -> Iterator[Place]:
    """Places chosen so that a statement may hold there where its exact condition does not, or does."""
    if all(one.relation != "iff" for one in question.statement.relations):
        return
    drawn = [question.random(random.Random(f"{question.seed} {k}")) for k in range(4)]
    for place in (p for one in drawn if one is not None for p in question.known.chosen_to_fit(one)):
        seen = question.seen(place) if question.admits(place) else None
        if seen is not None and not seen.holds:
            yield place


def outside(question: Any, found: tuple[Any, ...], seed: str) -> Iterator[Place]:
    """Small and random places at which none of some conditions holds."""
    yield from _outside(question, found, (), seed)


def _outside(
    question: Any, found: tuple[Any, ...], open_: tuple[Condition, ...], seed: str
) -> Iterator[Place]:
    bounded = (one.relation == "O" and not one.limiting for one in question.statement.relations)
    if question.subject.stepwise or any(bounded):  # of a bound up to a number one place says nothing
        return
    source = random.Random(f"{question.seed} {seed}")
    special = (question.under(c).random(source) for c in open_ for _ in range(_DRAWS))
    many, few = _OF_LAWS if question.subject.solves else _OF_NUMBERS
    drawn = [question.random(source) for _ in range(few)]
    fitting = (p for one in drawn if one is not None for p in question.known.chosen_to_fit(one))

    def is_outside(place: Place | None) -> bool:
        if place is None or not question.admits(place):
            return False
        return all(is_met(question, c, place) is False for c in found)

    yield from filter(is_outside, chain(special, fitting, drawn))
    yield from islice(filter(is_outside, islice(question.space.small(), _LOOKED_AT)), many)


def is_met(question: Any, condition: Any, place: Place) -> bool | None:
    """Whether a condition holds at a place; None where that cannot be told."""
    if isinstance(condition, Condition):
        there = (place, *([question.moved(place)] if question.moving else ()))
        return all(condition.holds(one) for one in there)
    if any(one.limiting for one in condition.relations):
        return None
    values = able(lambda: question.values(place), None)
    seen = None if values is None else able(partial(condition.at, values), None)
    return None if seen is None else bool(seen.holds)


def _follows(question: Any, condition: Any) -> bool:
    """Whether the condition follows from the statement, by the proofs of *if and only if*."""
    (relation, *others) = question.statement.relations
    told = _as_relation(condition)
    if others or told is None or relation.limiting or question.moving or question.subject.stepwise:
        return False
    both = able(lambda: replace(question, statement=Iff(relation, told)), None)
    return both is not None and bool(able(lambda: both.proved, False))


def _as_relation(condition: Any) -> Any:
    if isinstance(condition, Relation):
        return condition
    if isinstance(condition, Is):
        return Equal(from_sympy(condition.letter), from_sympy(condition.value))
    return None
