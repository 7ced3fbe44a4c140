"""What is told of a law that is a function of A, by what is so at each of its eigenvalues.

An order or an equation of matrices that are functions of A holds where it does at every eigenvalue; a
range that grows with the eigenvalue is one of the largest, or of the smallest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verification.relations.base import Relation
from verification.relations.iff import Iff
from verification.relations.joined import All, at_once
from verification.statements import telling
from verification.statements.normal import of_ends
from verification.verdicts.verdict import Correction, Finding, differ, lines_of

_OPEN = ("inconclusive", "refuted")


def beside(claim: Any, found: Finding, time: str | None) -> Finding:
    """A finding with what is known at each eigenvalue, where it has nothing else to say."""
    known = (found.needs, found.gap, found.corrected)
    half = found.converse is not None and found.converse.known == "not known"
    if not half and (found.verdict not in _OPEN or any(one is not None for one in known)):
        return found
    calm = claim.at_eigenvalues
    other = None if calm is None else calm.find(time)
    if other is None or other.verdict == "inconclusive":
        return found
    if found.verdict == "inconclusive":
        return other if other.verdict == "proved" else found
    if other.verdict == "proved" and not half:
        raise differ(claim.id, "matrices", "it fails", "each eigenvalue", "it holds")
    return _of_false(found, other, claim, calm.given_relations, half)


def _of_false(
    found: Finding, other: Finding, claim: Any, given: tuple[Relation, ...], half: bool
) -> Finding:
    """What makes it true at each eigenvalue, or is true instead; of a ``half``, what it needs."""
    if isinstance(other.needs, Relation | All) and other.converse is not None:
        if half and other.converse.known != "necessary":
            return found
        needs = _of_ends(other.needs, given)
        converse = replace(other.converse, conditions=(needs,))
        words = telling.condition(needs)
        reason = telling.holds_where(words, converse, claim.stands)
        told = {"condition": words, "needs": needs, "converse": converse, "scope": other.scope}
        evidence = other.evidence if half else found.evidence
        return replace(found, verdict=other.verdict, reason=reason, evidence=evidence, **told)
    if half or other.corrected is None or not all(isinstance(r, Iff) for r in other.corrected.printed):
        return found
    true = tuple(_with_ends(r, given) for r in other.corrected.printed)
    return replace(
        found, corrected=Correction(tuple(x for r in true for x in lines_of(r)), "proved", "", true)
    )


def _of_ends(condition: Any, given: tuple[Relation, ...]) -> Any:
    return at_once(of_ends(r, given) for r in condition.relations)


def _with_ends(one: Iff, given: tuple[Relation, ...]) -> Iff:
    return Iff(one.statement, _of_ends(one.when, given))
