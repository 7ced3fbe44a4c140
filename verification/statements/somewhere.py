"""How it is decided that something is so somewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verification.statements import deciding, telling
from verification.statements.showing import counterexample
from verification.verdicts.verdict import Finding, differ
from verification.verdicts.wording import of_false, of_true

SEARCHED = 1_000  # small places


def find(claim: Any, time: str | None = None) -> Finding:
    """That something is so somewhere: by a search for where its opposite fails, or a proof of that."""
    question = deciding.asked(replace(claim, statement=claim.statement.negated), time)
    failure = question.failure(SEARCHED)
    if failure is None:
        symbolic = telling.proof(question.statement.relations, question.answers)
        evidence = symbolic, telling.random_places(question.at_random(), None, question.spelt)
        verdict = of_false(None, None) if question.proved else of_true(None)
        return Finding(verdict, telling.nowhere(question.answers), evidence)
    place = failure.place
    if question.proved:
        where = f"it is so at {place.to_json()}"
        raise differ(claim.id, "symbols", "it is nowhere so", "exact numbers", where)
    seen = counterexample(claim, question.spelt, question.values(place) or {}, failure.sides, place)
    return Finding(of_true(True), telling.somewhere(seen.problem), (telling.witness(seen.problem),))
