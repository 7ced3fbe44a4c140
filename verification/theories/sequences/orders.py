"""What a sum over steps does as their number grows."""

from __future__ import annotations

from typing import Any

from verification.terms.term import Term
from verification.terms.ways import Way
from verification.theories.answers import Answer, Proved, Silence, Silent


def has_order(
    theory: Any, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...] = ()
) -> Answer:
    """Whether it vanishes: where steps have an infinite sum, and their squares a finite one."""
    if word != "o" or way.letter != theory.count:
        return Silent(Silence.NO_FORMULA)
    at_rest: Answer | None = theory.comes_to_rest(left, right)
    if at_rest is not None:
        return at_rest
    why = theory.why_it_vanishes(left / right)
    return Silent(Silence.NO_CERTIFICATE) if why is None else Proved(why, facts={"steps": "every"})


def first_term(
    theory: Any, left: Term, way: Way, given: tuple[Any, ...]
) -> tuple[tuple[Term, ...], Term | None]:
    """No first term is known."""
    return (), None
