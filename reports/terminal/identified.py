"""What a step is, in few lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reports.spans import SIGNS
from verification.checking.identifying.explaining import in_words

_COLOURS = {"identified": "green", "inconclusive": "yellow", "crashed": "red"}


def headline(found: Any) -> str:
    """The answer in a line."""
    if found.same:
        return f"{found.target} is {in_words(found.same[0])}"
    if found.verdict == "crashed":
        return f"{found.target} came to no end on any problem"
    return f"{found.target} has the law of no sampler that is declared here"


def said(found: Any) -> Iterator[str]:
    """Everything below the headline, a sentence a line."""
    yield from found.taken
    if found.fault[0]:
        yield f"The last thing that went wrong is: {found.fault[0]}: {found.fault[1]}."
    if found.same and found.same[0].note:
        yield found.same[0].note
    yield from (b.line() for b in found.beside)
    if len(found.same) > 1:
        equal = "; of ".join(in_words(e) for e in found.same[1:])
        yield f"Its positions have the same law as those of {equal}."
    for e in found.others:
        yield f"Not told apart from it by these measurements: {in_words(e)}."
    if found.law is not None:
        yield from found.law.lines()
    yield from found.near
    if found.check:
        yield f"To hold it to that from now on, type: {found.check}"
    if found.chains:
        yield (
            "Its drift is met to rounding; where its noise were another, an error of"
            f" {100 * found.effect:.3g} % of a variance is found with probability {found.power:g}."
        )


def lines(found: Any) -> Iterator[str]:
    """What a terminal shows."""
    word = click.style(f"{SIGNS[found.verdict]} {found.verdict}", fg=_COLOURS[found.verdict], bold=True)
    yield f"{word}  {headline(found)}"
    yield from (f"  {line}" for line in said(found))
