"""Conditions under which a statement is told to hold, at exact places that the judge did not see."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged, Reading
from verification.statements import Equal, letters, telling
from verification.statements.converse import for_all_states, inside, outside
from verification.statements.showing import numbers_at
from verification.terms.walking import able
from verification.verdicts.verdict import Converse

_INSIDE = 12  # places


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """A statement holds wherever its condition does, and where it holds without it, that is said."""
    for reading in judged.readings if judged.is_stated else ():
        converse = reading.finding.converse
        if converse is not None:
            yield from _within(reading, converse)
            yield from _beyond(reading, converse)
        elif reading.finding.condition:
            remedy = "keep the condition as data, with what is known of its converse"
            yield judged, f"The condition {reading.finding.condition} is words alone.", remedy


def _within(reading: Reading, converse: Converse) -> Iterator[tuple[Any, ...]]:
    question = reading.question()
    for condition in converse.conditions:
        for place in islice(inside(question, condition, f"{question.seed} audit"), _INSIDE):
            seen = question.seen(place)
            if seen is not None and not seen.holds:
                told = telling.condition(condition, question.moving)
                at = numbers_at(question, place)
                words = f"It fails where {told} holds{reading.words}: at {telling.exact_numbers(at)}."
                yield reading.judged, words, "mend the condition", {"condition": told, "at": at}
                break


def _beyond(reading: Reading, converse: Converse) -> Iterator[tuple[Any, ...]]:
    question = reading.question()
    if converse.known == "sufficient":
        return
    for place in outside(question, converse.conditions, "audit"):
        if able(partial(for_all_states, question, place), None):
            at = numbers_at(question, place)
            known = f"The condition is called {converse.told}"
            words = f"{known}, and it holds without it{reading.words}: at {telling.exact_numbers(at)}."
            remedy = "call the condition sufficient, and show the place"
            yield reading.judged, words, remedy, {"at": at}
            return


def good() -> tuple[Judged, ...]:
    """A condition beside which the statement holds at other values, as it is told."""
    x, y = letters("x y", "real")
    return (_samples.judged(read=Equal((x - y) * (x**2 + y**2 - 2), 0)),)


def bad() -> tuple[Judged, ...]:
    """The same told in words alone, of a place at which it fails, and as if it were necessary."""
    (one,) = good()
    converse = one.verdict.finding.converse
    assert converse is not None
    x, y = letters("x y", "real")
    wrong = Converse((Equal(x, -y),), "sufficient"), Converse(converse.conditions, "necessary")
    return tuple(_samples.changed(one, converse=each) for each in (None, *wrong))
