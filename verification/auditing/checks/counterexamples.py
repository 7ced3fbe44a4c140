"""Counterexamples: is all that is given so at the numbers that are shown?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged, Reading
from verification.refuter.script import run
from verification.statements import Compare, letters, telling
from verification.statements.entry import words_of
from verification.statements.obeying import broken
from verification.terms.walking import able


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """At a counterexample every hypothesis holds, and its script says that the statement does not."""
    for reading in judged.readings:
        shown = reading.finding.counterexample
        if shown is None:
            continue
        at = telling.exact_numbers(shown.problem)
        for hypothesis in _broken(reading, shown.problem):
            words = f"At its counterexample{reading.words} it is not so that {hypothesis}: {at}."
            yield judged, words, "look for one inside what is given", {"at": dict(shown.problem)}
        if shown.script and _says(shown.script):
            words = f"The script of its counterexample{reading.words} says that it holds: {at}."
            yield judged, words, "mend the script, or the verdict", {"script": shown.script}


def _says(script: str) -> bool:
    return bool(able(partial(run, script), False))


def _broken(reading: Reading, problem: Mapping[str, Any]) -> Iterator[Any]:
    """The hypotheses that do not hold, as the gate to refutations reads the numbers that are shown."""
    if reading.judged.is_stated:
        own = reading.judged.lettered
        for one in broken(own.conditions, own.given_relations, problem):
            yield words_of(one)


def good() -> tuple[Judged, ...]:
    """A place under what is given."""
    x, y = letters("x y")
    return (_samples.judged(printed=Compare(x * y, "<=", 1), given=(Compare(x, "<=", y),)),)


def bad() -> tuple[Judged, ...]:
    """A place at which what is given does not hold, and a script that says that the statement does."""
    (one,) = good()
    shown = one.verdict.finding.counterexample
    assert shown is not None
    elsewhere = replace(shown, problem={"x": "3", "y": "1/2"})
    wrong = replace(shown, script="print(True)"), elsewhere
    return tuple(_samples.changed(one, counterexample=each) for each in wrong)
