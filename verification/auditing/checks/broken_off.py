"""Searches that a clock ended, so that another machine may say something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.statements import Equal, letters, telling
from verification.theories.answers import Silence, Silent


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """No search for a verdict was ended by a clock: it would depend on the machine that judges."""
    for reading in judged.readings:
        for evidence in reading.finding.evidence:
            if "seconds" in evidence.data:
                words = f"A clock ended a search{reading.words}: {evidence.words}"
                yield judged, words, "make the search shorter", {"seconds": evidence.data["seconds"]}


def good() -> tuple[Judged, ...]:
    """A proof, and numbers that refute."""
    x, y = letters("x y")
    return (_samples.judged(read=Equal(x * y, y * x)), _samples.judged(read=Equal(x, y)))


def bad() -> tuple[Judged, ...]:
    """A condition, and a proof, that were not found in time."""
    one, other = good()
    late = Silent(Silence.OUT_OF_TIME, facts={"seconds": 15.0})
    search = telling.broken_off("a condition", 15)
    proof = telling.proof(one.claim.statement.relations, (late,))
    return tuple(_samples.changed(o, evidence=(e,)) for o, e in ((other, search), (one, proof)))
