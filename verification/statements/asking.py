"""Which theory a relation is asked of: the owner of its words, or what is known of a law or of steps."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

from verification.refuter.conditions import Condition
from verification.relations.base import Relation
from verification.statements import conditions
from verification.terms.term import Applied
from verification.terms.words import owners
from verification.theories.answers import Answer, Silence, Silent


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
    calculus: Any = None,
) -> Any:
    """A relation's ``prove``, ``gap`` or ``instead`` by the theory that owns its words."""
    every = [*relation.sides, *(side for one in given for side in one.sides)]
    heads = {t.head for side in every for t in side.subterms() if isinstance(t, Applied)}
    theories = {owners()[head] for head in heads} or {"scalars"}
    theory = next((replace(one, given=imposed) for one in (law, calculus) if one is not None), steps)
    if theory is None:
        if len(theories) > 1:  # until letters stand for what another theory owns
            return Silent(Silence.NO_THEORY) if what == "prove" else ()
        theory = importlib.import_module(f"verification.theories.{theories.pop()}")
    under = (*imposed, *conditions.in_symbols(given)) if relation.limiting else given
    return getattr(relation, what)(theory, under)
