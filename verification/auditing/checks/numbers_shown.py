"""What numbers refute: are they there, and does the algorithm settle at them?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from sgtheory.reader.exact import identity
from verification.auditing.checks import _samples
from verification.auditing.entries import Judged, Reading
from verification.laws.rational import is_stable
from verification.notation import A, C, N, S, Sigma, eps
from verification.refuter.places import Place
from verification.statements import Equal, telling
from verification.statements.obeying import place_of
from verification.terms.walking import able


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """What numbers refute shows them; where a law is meant they are in its range of stability."""
    for reading in judged.readings:
        shown = reading.finding.counterexample
        if shown is None:
            if reading.finding.reason == telling.BY_NUMBERS:
                words = f"Its reason{reading.words} speaks of numbers, and there are none."
                yield judged, words, "show them", {}
            continue
        if _settles(reading, place_of(shown.problem)) is False:
            at = telling.exact_numbers(shown.problem)
            words = f"At its counterexample{reading.words} there is no stationary law: {at}."
            yield judged, words, "look for one in the range of stability", {"at": dict(shown.problem)}


def _settles(reading: Reading, place: Place | None) -> bool | None:
    """Whether a sampler that the entry is about settles there; None where no law is meant or known."""
    judged = reading.judged
    if place is None or not judged.is_stated or not judged.lettered.of:
        return None
    question = reading.question()
    if question.subject.setting is None or not question.subject.times(question.sides):
        return None
    if any(getattr(one, "settling", False) for one in question.statement.relations):
        return None
    meanings = [meaning for _, meaning in question.subject.setting.sampler.where]
    if any(s.name not in place.scalars for meaning in meanings for s in meaning.free_symbols):
        return None  # a letter of ours that is not shown, such as the root of one that is
    there = place.but(B=identity(place.D))  # its noise moves no mean
    found: bool | None = able(partial(is_stable, question.subject.setting, there, reading.time), None)
    return found


def good() -> tuple[Judged, ...]:
    """A covariance that is not twice as large, at a step of one."""
    law = Equal(Sigma * A + A * Sigma, 2 * eps / S * C)
    return (_samples.judged(read=law, of="sgd", time="discrete"),)


def bad() -> tuple[Judged, ...]:
    """The same, where it is shown at a step beyond the edge."""
    (one,) = good()
    shown = one.verdict.finding.counterexample
    assert shown is not None
    beyond = {**shown.problem, "params": {**shown.problem["params"], str(eps): "3"}, str(N): "1"}
    return (_samples.changed(one, counterexample=replace(shown, problem=beyond)),)
