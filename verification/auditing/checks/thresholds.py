"""Thresholds that are ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.statements import Compare, Number, letters


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """A sentence without a number is not refuted by a number of ours."""
    claim = judged.claim
    false = judged.verdict.word in ("refuted", "proved-if")
    if not judged.is_stated or claim.stands != "read" or not false:
        return
    for one in claim.statement.relations:
        if not one.one_sided or one.between_matrices:
            continue
        alone = any(isinstance(s, Number) and not _is_whole(s) for s in one.sides)
        printed = {a for a, _ in claim.numbers}
        scaled = set(one.letters) <= printed and any(map(_numbers_in, one.sides))
        if alone or (printed and one.letters and scaled):
            words = f"A sentence is refuted by a threshold that it does not print: {one.text()}."
            yield judged, words, "show its numbers as a matter of degree", {"statement": one.text()}
            return


def _is_whole(number: Number) -> bool:
    return str(number).lstrip("-").isdigit()


def _numbers_in(side: Any) -> bool:
    """Whether a number beside 0 and 1 stands in a side."""
    return any(isinstance(p, Number) and str(p) not in ("0", "1", "-1") for p in side.subterms())


def good() -> tuple[Judged, ...]:
    """A number that stands in the source."""
    x, y = letters("x y")
    return (_samples.judged(printed=Compare(x, "<=", y), numbers={x: "3", y: "2"}),)


def bad() -> tuple[Judged, ...]:
    """*Similar* is read as within a factor of two, and *slightly* as a tenth."""
    x, y = letters("x y")
    similar = _samples.judged(read=Compare(x, "<=", 2 * y), numbers={x: "5", y: "2"})
    return (similar, _samples.judged(read=Compare(x / (1 + x), "<=", "0.1")))
