"""Statements whose two sides are one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.statements import Equal, letters


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """The two sides of a statement differ, also as they are shown."""
    for one in judged.claim.printed:
        left, right = getattr(one, "left", None), getattr(one, "right", None)
        if left is None or right is None or getattr(one, "may_repeat", False):
            continue
        latex = _latex(left), _latex(right)
        if str(left) == str(right) or (latex[0] and latex[0] == latex[1]):
            words = f"Both sides are shown as {left}."
            yield judged, words, "state what the source prints, in letters that tell the sides apart"


def _latex(side: Any) -> str:
    return str(side.latex()) if hasattr(side, "latex") else ""


def good() -> tuple[Judged, ...]:
    """Two sides that look different."""
    x, y = letters("x y")
    return (_samples.judged(printed=Equal(x + y, y + x)),)


def bad() -> tuple[Judged, ...]:
    """A statement that became one expression when a definition was put in."""
    (one,) = good()
    same = one.claim.statement.with_terms(lambda side: one.claim.statement.left)
    return (_samples.with_finding(replace(one.claim, statement=same), one.verdict.finding),)
