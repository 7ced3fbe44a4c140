"""How far off an erratum is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sgtheory.notation.sentence import sentence
from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.consequence.kinds import consequence
from verification.statements import Equal, letters
from verification.terms.comparing import OTHER


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """What does not hold says how far off it is, in letters that it has."""
    claim, finding = judged.claim, judged.verdict.finding
    shown = finding.counterexample
    if shown is None or not judged.is_stated:
        return
    follows = judged.verdict.consequence or consequence(claim, finding)
    size = getattr(follows, "size", None)
    if follows is not None and follows.kind != "degree" and size is None:
        yield judged, "How far it is off is not told.", "say it at the numbers of its counterexample"
    told = "" if size is None else f"{size.words} {size.at}"
    if OTHER in f"{told} {shown.words} {shown.problem}":
        words = "Its numbers name a second value by a letter that the entry does not have."
        yield judged, words, "say to which value the letter moves"


def good() -> tuple[Judged, ...]:
    """A factor that was missing."""
    x, y = letters("x y")
    return (_samples.judged(printed=Equal((x + y) ** 2 - x**2 - y**2, x * y)),)


def bad() -> tuple[Judged, ...]:
    """The same without a size, and with a letter of ours."""
    (one,) = good()
    follows = consequence(one.claim, one.verdict.finding)
    assert follows is not None
    assert follows.size is not None
    ours = replace(follows.size, words=sentence(f"At x{OTHER} = 2 it is 2 times as large."))
    wrong = (replace(follows, size=size) for size in (None, ours))
    return tuple(Judged(replace(one.verdict, consequence=each)) for each in wrong)
