"""Statements between numbers, without a letter: the one place there is decides."""

from __future__ import annotations

from typing import Any

from verification.refuter.places import Place
from verification.statements import telling
from verification.statements.asking import prove
from verification.statements.scripts import says
from verification.statements.showing import counterexample
from verification.theories.answers import Proved
from verification.verdicts.verdict import Evidence, Finding, differ


def find(claim: Any, question: Any) -> Finding:
    """In exact arithmetic or balls, and again in decimals; nothing where what is given is not so."""
    statement, evidence = question.statement, list[Evidence]()
    if not question.admits(Place({}, {})):
        return Finding("inconclusive", telling.never_given(), ())
    false: Any = None
    texts = {a.name: text for a, text in claim.numbers}
    for relation, in_letters in zip(statement.relations, claim.statement.relations, strict=True):
        seen = relation.at({})
        unknown = seen is None or (seen.alike and not isinstance(prove(relation), Proved))
        other = None if unknown else says(relation, {})
        if seen is None or other is None:
            return Finding("inconclusive", telling.undecided(relation), tuple(evidence))
        if other is not seen.holds:
            raise differ(claim.id, "balls", f"it is {seen.holds}", "decimals", f"it is {other}")
        evidence.append(telling.numbers(in_letters, seen, texts))
        false = false or (None if seen.holds else (in_letters, seen))
    if false is None:
        return Finding("proved", evidence[-1].words, tuple(evidence))
    relation, seen = false
    reason, numbers = telling.with_numbers(relation, seen, texts), claim.printed_numbers
    shown = counterexample(
        claim, claim.statement.among_given(question.given), numbers, seen, Place({}, numbers)
    )
    return Finding("refuted", reason, tuple(evidence), counterexample=shown)
