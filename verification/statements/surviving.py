"""Corruptions of what is true: whether a script, which had no part in the proof, rejects them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

from sgtheory.notation.sentence import say
from verification.refuter.places import Place
from verification.refuter.twins import spread
from verification.relations.exists import is_somewhere
from verification.relations.iff import Iff
from verification.statements import conditions
from verification.statements.corrupting import corrupted, moved, otherwise_set
from verification.statements.deciding import Asked, asked
from verification.statements.scripts import decider
from verification.terms.walking import able
from verification.theories.answers import Silence, Silent
from verification.verdicts.verdict import Correction, Finding, Twins

_SMALL, _RANDOM, _FIRST = 1_000, 400, 3  # places at which a twin is looked at; the first are random
_SILENT = 60  # places in a row at which a twin says nothing
_GLANCE, _GLANCE_FAR = 15, 5  # before a proof is tried; on the way to a limit
_OF_CALCULUS, _OF_SERIES = 16, 80  # twins of a statement with derivatives; on the way to a limit
_OF_LAWS, _ON_THE_WAY = 12, 80  # where laws are solved at each twice, or once


def twins(claim: Any, finding: Finding, most: int | None) -> Twins:
    """Corruptions of a true statement, held against scripts, which had no part in its proof."""
    true = _true_claim(claim, finding)
    if true is None:
        return Twins(0, 0, none=_why_none(finding))
    tried = rejected = 0
    survivors, equivalent = [], []
    glance = _GLANCE
    if asked(true).subject.slow:  # formulas with derivatives are long: some from all over
        enough = _OF_SERIES if asked(true).limiting else _OF_CALCULUS
        most, glance = min(most or enough, enough), _FIRST
    few = asked(true).subject.few_twins
    most = most if few is None else min(most or few, few)
    for name, twin in spread(_corrupted(true), most):
        somewhere = is_somewhere(twin.statement)
        question = asked(replace(twin, statement=twin.statement.negated) if somewhere else twin)
        if somewhere:  # rejected by a proof that it is nowhere so
            if question.failure(_SMALL) is not None:
                equivalent.append(name)
                continue
            if not question.at_random():
                continue  # it says nothing anywhere
            tried, rejected = tried + 1, rejected + question.proved
            survivors += (
                [] if question.proved else [say("{}: no place was found, and no proof says why", name)]
            )
            continue
        few = _GLANCE_FAR if question.limiting else glance
        first = _caught(question, twin.heading, _FIRST if question.enumerated else few)
        proved = not first and _is_true(question)
        if not first and not proved and not question.subject.fits:
            continue  # shapes that do not fit, or a derivative that is unknown: no statement
        if not first and not proved and any(_is_open(a) for a in question.answers):
            continue  # bounds from both sides leave it open: nobody knows that it is a lie
        caught = first if first or (proved and first is False) else _caught(question, twin.heading)
        if caught is None:
            continue  # it says nothing anywhere: no statement, and no twin
        if proved and not caught:
            equivalent.append(name)
            continue
        tried, rejected = tried + 1, rejected + caught
        if not caught:
            survivors.append(say("{}: holds wherever the script was run, and no proof says why", name))
    none = "" if tried else "no corruption says anything else that numbers could show"
    return Twins(tried, rejected, tuple(survivors), tuple(equivalent), none)


def _why_none(finding: Finding) -> str:
    if finding.verdict == "inconclusive":
        return "it is not known to be true, and what is not cannot be made wrong"
    return "nothing is known that is true instead, and could be made wrong"


def _true_claim(claim: Any, finding: Finding) -> Any:
    if finding.verdict == "proved":
        return claim
    if finding.needs is not None:
        question = asked(claim)
        alone = len(claim.statement.relations) == 1 and not question.limiting
        if alone and conditions.known_exactly(question) == finding.needs:
            return replace(claim, statement=Iff(claim.statement, finding.needs))
        return replace(claim, given=(*claim.given, finding.needs))
    return None if finding.corrected is None else corrected(claim, finding.corrected)


def corrected(claim: Any, correction: Correction) -> Any:
    """The claim with its correction in place of what is printed; None where that is not stated."""
    if correction.sets:
        return replace(claim, sets=correction.sets)
    if not correction.printed:
        return None
    given = (*claim.given, *correction.under)
    return replace(claim, statement=correction.printed[0], given=given)


def _corrupted(claim: Any) -> Iterator[tuple[str, Any]]:
    far_out = [one for h in claim.given for one in getattr(h, "relations", ()) if one.limiting]
    for one in far_out:
        others = tuple(h for h in claim.given if not hasattr(h, "relations") or one not in h.relations)
        rest = (*others, *(r for r in far_out if r != one))
        yield say("${}$ dropped", one), replace(claim, given=rest)
    for name, statement in corrupted(claim.statement):
        twin = replace(claim, statement=statement)
        if (
            not claim.laws or able(partial(getattr, twin, "at_numbers")) is not None
        ):  # else it has no law
            yield name, twin
    for name, numbers in moved(claim.numbers):
        yield name, replace(claim, numbers=numbers)
    for name, sets in (
        otherwise_set(claim.sets) if any(r.settling for r in claim.statement.relations) else ()
    ):
        yield name, replace(claim, sets=sets)


def _caught(question: Asked, seed: str, most: int | None = None) -> bool | None:
    """Whether a script says False at any place that is looked at; None where none says anything."""
    if not question.subject.stepwise:
        return _rejected(question, seed, most)
    said = set()
    for _, one in question.by_steps(most is None or question.limiting):
        said.add(_rejected(one, seed, most))
        if True in said:
            return True
    return False if False in said else None


def _rejected(question: Asked, seed: str, most: int | None) -> bool | None:
    """Whether a script says False at any place of one question."""
    anything, silent = False, 0
    script = decider(question.spelt, question.obeyed)
    for place in islice(_places(question, seed), most):
        values = question.values(place)
        said = None if values is None else script(values)
        if said is False:
            return True
        anything, silent = anything or said is not None, silent + (said is None)
        if silent == _SILENT and not anything:
            break  # it is undefined
    return False if anything else None


def _is_true(question: Asked) -> bool:
    """Whether a corruption is no lie: it is proved, or holds of the printed numbers in balls too."""
    if question.constant:
        seen = question.statement.at({})
        return seen is not None and seen.holds
    alone = (replace(question, given=question.given[-1:]),) if len(question.given) > 1 else ()
    return question.proved or any(one.proved for one in alone)  # what is given last may be enough


def _is_open(answer: Any) -> bool:
    return isinstance(answer, Silent) and answer.why is Silence.BETWEEN_BOUNDS


def _places(question: Asked, seed: str) -> Iterator[Place]:
    """Places at which a twin is looked at: fewer where laws are solved at each."""
    space = question.space
    if question.constant:
        yield Place({}, {})
        return
    source = random.Random(seed)
    few, many = _SMALL, _RANDOM
    if question.subject.solves or question.limiting:
        solved_twice = question.limiting and question.subject.setting
        few = many = question.subject.few_twins or (_OF_LAWS if solved_twice else _ON_THE_WAY)
    drawn = (question.random(source) for _ in range(many))
    first = islice(drawn, _FIRST)
    small = (p for p in islice(space.small(), few) if question.admits(p))
    wide = filter(question.admits, space.wide())
    yield from (p for p in chain(first, small, wide, drawn) if p is not None)
