"""A relation asked of what a theory knows, under what is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verification.refuter.conditions import Condition
from verification.refuter.patience import PATIENCE, in_time
from verification.relations.base import Relation
from verification.relations.compare import as_conditions
from verification.statements import telling
from verification.terms.walking import able, while_able
from verification.theories.answers import Answer, Silence, Silent
from verification.theories.subject import About, subject_of, words_and_kinds
from verification.verdicts.verdict import Evidence


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
    """A relation's ``prove``, ``gap`` or ``instead`` by what a theory knows under ``imposed``.

    What a theory or an arithmetic cannot do it says, here for all of them: then nothing is known.
    """
    sides = (*relation.sides, *(side for one in given for side in one.sides))
    nothing = {"prove": Silent(Silence.NO_THEORY), "instead": iter(()), "remarks": ()}.get(what)
    late: Any = nothing
    if what == "prove":
        late = Silent(Silence.OUT_OF_TIME, facts={"seconds": PATIENCE})
    if not subject.takes(*words_and_kinds(sides)):
        return nothing
    under = (*imposed, *as_conditions(given)) if relation.limiting else given
    found = in_time(
        lambda: able(lambda: getattr(relation, what)(subject, under), nothing), PATIENCE, late
    )
    return while_able(found) if what == "instead" else found


def patiently(what: str, look: Callable[[], Any], otherwise: Any, late: list[Evidence]) -> Any:
    """What is found in a time; else a note that the search was broken off."""
    found = in_time(look, PATIENCE, late)
    if found is late:
        late.append(telling.broken_off(what, PATIENCE))
    return otherwise if found is late else found
