"""A relation asked of what a theory knows, under what is given."""

from __future__ import annotations

from typing import Any

from verification.refuter.conditions import Condition
from verification.relations.base import Relation
from verification.statements import conditions
from verification.terms.words import theories_of
from verification.theories.answers import Answer, Silence, Silent
from verification.theories.subject import About, subject_of


def prove(relation: Relation, given: tuple[Relation, ...] = ()) -> Answer:
    """What the theory of a relation's words makes of it."""
    answer: Answer = asked_of(relation, "prove", given, (), subject_of(About(relation)))
    return answer


def asked_of(
    relation: Relation,
    what: str,
    given: tuple[Relation, ...],
    imposed: tuple[Condition, ...],
    subject: Any,
) -> Any:
    """A relation's ``prove``, ``gap`` or ``instead`` by what a theory knows under ``imposed``."""
    sides = (*relation.sides, *(side for one in given for side in one.sides))
    if not subject.understands(theories_of(sides)):
        return Silent(Silence.NO_THEORY) if what == "prove" else ()
    under = (*imposed, *conditions.in_symbols(given)) if relation.limiting else given
    return getattr(relation, what)(subject, under)
