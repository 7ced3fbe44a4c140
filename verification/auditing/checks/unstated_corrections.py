"""Corrections that are shown as formulas, and cannot be judged as statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from verification.auditing.checks import _samples, corrections
from verification.auditing.entries import Judged


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """A correction is said in the language of statements, so that it can be judged as one."""
    for reading in judged.readings if judged.is_stated else ():
        correction = reading.finding.corrected
        if correction is not None and not (correction.printed or correction.sets):
            words = (
                f"The correction{reading.words} is a formula, held to what its own search computes,"
                f" and not judged as a statement: {correction.text}."
            )
            yield (
                judged,
                words,
                "state it in the language of statements",
                {"correction": correction.text},
            )


def good() -> tuple[Judged, ...]:
    """A correction that is a statement."""
    return corrections.good()


def bad() -> tuple[Judged, ...]:
    """The same, as a text."""
    (one,) = corrections.good()
    correction = one.verdict.finding.corrected
    assert correction is not None
    return (_samples.changed(one, corrected=replace(correction, printed=())),)
