"""Corrections: what is written instead of what is printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged, Reading
from verification.statements import Equal, letters
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.walking import able
from verification.terms.words import local
from verification.theories.sequences.words import ENTRIES
from verification.verdicts.verdict import Correction, RoutesDisagree, lines_of


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """A correction differs from what is printed, says something, and is proved as a statement."""
    for reading in judged.readings:
        correction = reading.finding.corrected
        if correction is not None:
            yield from ((judged, *told) for told in _wrong(reading, correction))


def _wrong(reading: Reading, correction: Correction) -> Iterator[tuple[Any, ...]]:
    printed = reading.judged.claim.printed
    whole = {r" \qquad ".join(p.latex() for p in printed), *(p.latex() for p in printed)}
    shown = {"correction": correction.text}
    if correction.latex in whole:
        words = f"The correction{reading.words} is what is printed: {correction.text}."
        yield words, "find one that differs, or show none", shown
    for one in (r for statement in correction.printed for r in getattr(statement, "relations", ())):
        if _is_itself(one) and not one.may_repeat:
            words = f"The correction{reading.words} says that something is itself: {one.text()}."
            yield words, "find one that says something, or show none", shown
    try:
        found = reading.decided(correction)
    except RoutesDisagree as both:
        words = f"Routes disagree about the correction{reading.words}: {correction.text}."
        yield words, "mend the route that is wrong", {**shown, "routes": list(map(str, both.answers))}
        return
    if found is not None and found.verdict != "proved":
        words = f"The correction{reading.words} is {found.verdict}: {correction.text}."
        yield words, "find one that is proved", {**shown, "reason": found.reason}


def _is_itself(one: Any) -> bool:
    """Whether both sides are one expression, be it in another order, such as c X and X c."""
    if one.left == one.right:
        return True
    worked_out = any(local(side) is not None for side in (one.left, one.right))  # derivatives are taken
    if worked_out or any(a.kind in (*ENTRIES, "variable") for a in one.letters):
        return False
    sides = able(lambda: tuple(map(in_symbols, (one.left, one.right))), (0, 1))
    return bool(sides[0] == sides[1])


def good() -> tuple[Judged, ...]:
    """A factor that was missing."""
    x, y = letters("x y")
    return (_samples.judged(printed=Equal((x + y) ** 2 - x**2 - y**2, x * y)),)


def bad() -> tuple[Judged, ...]:
    """What was printed, and what is false as well."""
    (one,) = good()
    x, y = letters("x y")
    same, false = one.claim.statement, Equal((x + y) ** 2 - x**2 - y**2, 3 * x * y)
    itself = Equal(x * y, y * x)
    told = (Correction(lines_of(s), "proved", "", (s,)) for s in (same, itself, false))
    return tuple(_samples.changed(one, corrected=correction) for correction in told)
