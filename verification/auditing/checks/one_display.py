"""Entries that a reader cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.statements import Compare, letters


def look_at_all(entries: Sequence[Judged]) -> Iterator[tuple[Any, ...]]:
    """Entries that show one statement under one set of hypotheses have one verdict."""
    shown: dict[Any, Judged] = {}
    for one in entries:
        if not one.claim.printed:
            continue
        first = shown.setdefault(_display(one), one)
        if first.verdict.word != one.verdict.word:
            words = (
                f"It shows what {first.id} shows, which is {first.verdict.word}, and is"
                f" {one.verdict.word}."
            )
            yield one, words, "put into the statement what makes the difference", {"as": first.id}


def _display(one: Judged) -> Any:
    claim = one.claim
    numbers = tuple((str(a), text) for a, text in getattr(claim, "numbers", ()))
    about = (str(claim.of), claim.time, getattr(claim, "scope", ""))
    return (claim.paper, tuple(one.verdict._printed()), frozenset(one.hypotheses), numbers, about)


def good() -> tuple[Judged, ...]:
    """One statement under two hypotheses."""
    x, y = letters("x y")
    first = _samples.judged(key="a", printed=Compare(x, "<=", y), given=(Compare(x, "<", y),))
    return (first, _samples.judged(key="b", printed=Compare(x, "<=", y)))


def bad() -> tuple[Judged, ...]:
    """One statement of letters that are meant otherwise, which nothing shows."""
    x, y = letters("x y")
    first = _samples.judged(key="a", printed=Compare(x, "<=", x + y))
    a, b = letters("x y", "real")
    return (first, _samples.judged(key="b", printed=Compare(a, "<=", a + b)))
