"""Conditions that are coincidences of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.refuter.parameters import Is
from verification.relations.base import Relation
from verification.statements import Equal, letters, telling
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import NUMBERS
from verification.terms.words import theories_of
from verification.verdicts.verdict import Converse


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """A condition says that a letter is 0, 1 or another letter, and is no coincidence of numbers."""
    for reading in judged.readings:
        converse = reading.finding.converse
        exact = converse is None or converse.known == "necessary"  # which is no coincidence
        for condition in () if converse is None or exact else converse.conditions:
            if any(map(_is_coincidence, getattr(condition, "parts", (condition,)))):
                told = telling.condition(condition)
                words = f"It is told to hold where {told}, which is a coincidence of numbers."
                remedy = "say for all values of which letters it is stated (states=)"
                yield judged, words, remedy, {"condition": told}


def _is_coincidence(part: Any) -> bool:
    """Whether it is an equation between numbers of another form than x = 0, x = 1 or x = y."""
    if isinstance(part, Is):
        zero = part.letter - part.value
    elif isinstance(part, Relation) and part.relation == "=" and _of_numbers(part):
        zero = in_symbols(part.left) - in_symbols(part.right)
    else:
        return False
    letters_ = zero.free_symbols
    plain = {a - b for a in letters_ for b in (0, 1, *letters_)}
    return zero not in plain and -zero not in plain


def _of_numbers(relation: Relation) -> bool:
    """Whether only numbers and what is made of them stand in it."""
    return theories_of(relation.sides) <= {"scalars"} and all(
        a.kind in NUMBERS for a in relation.letters
    )


def good() -> tuple[Judged, ...]:
    """A letter is another one."""
    x, y = letters("x y", "real")
    return (_samples.judged(read=Equal(x**2 - 2 * x * y, -(y**2))),)


def bad() -> tuple[Judged, ...]:
    """A letter is just right."""
    (one,), (y,) = good(), letters("y", "real")
    return (_samples.changed(one, converse=Converse((Equal(y, 3),), "not known")),)
