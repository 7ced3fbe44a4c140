"""Counterexamples: is all that is given so at the numbers that are shown?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged, Reading
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.statements import Compare, letters, telling
from verification.statements.entry import words_of
from verification.statements.scripts import decider
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


def _broken(reading: Reading, problem: Mapping[str, Any]) -> Iterator[str]:
    """The hypotheses that do not hold: conditions as they test numbers, relations in decimals."""
    place = _place(problem)
    if place is None or not reading.judged.is_stated:
        return
    known = {*place.scalars, *place.matrices}
    for condition in reading.judged.lettered.conditions:
        told = bool(condition.letters) and set(condition.letters) <= known
        if told and able(partial(condition.holds, place), True) is False:
            yield words_of(condition)
    for one in reading.judged.lettered.given_relations:
        told = {a.name for a in one.letters} <= set(place.scalars) and not one.limiting
        if told and able(partial(decider(one), place.scalars), None) is False:
            yield one.text()


def _place(problem: Mapping[str, Any]) -> Place | None:
    """The numbers that are shown, read again; None where they are no numbers."""
    names = {"hessian": "A", "noise": "C"}
    params = problem.get("params", {})
    flat = {names.get(k, k): v for k, v in problem.items() if k not in ("model", "params")} | params
    try:
        matrices = {k: _matrix(v) for k, v in flat.items() if isinstance(v, list)}
        scalars = {k: Fraction(str(v)) for k, v in flat.items() if not isinstance(v, list)}
    except (ValueError, TypeError):
        return None
    return Place(matrices, scalars)


def _matrix(rows: list[Any]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(str(x)) for x in row) for row in rows)


def good() -> tuple[Judged, ...]:
    """A place under what is given."""
    x, y = letters("x y")
    return (_samples.judged(printed=Compare(x * y, "<=", 1), given=(Compare(x, "<=", y),)),)


def bad() -> tuple[Judged, ...]:
    """A place at which what is given does not hold."""
    (one,) = good()
    shown = one.verdict.finding.counterexample
    assert shown is not None
    elsewhere = replace(shown, problem={"x": "3", "y": "1/2"})
    return (_samples.changed(one, counterexample=elsewhere),)
