"""How much of what is said is proved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.refuter.conditions import OneDimensional
from verification.statements import Equal, letters
from verification.verdicts.verdict import Evidence

# How theories say that a proof is of all that is stated.
_GENERAL = (
    "every",
    "in every dimension",
    "for all values of its letters",
    "for every dimension, commuting or not",
)
_ALL = re.compile(r"\b(every|any|all|always|arbitrary|in general|general)\b", re.IGNORECASE)
_TRUE = ("proved", "proved-if")


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """What is proved of less than is said carries its scope, and its title does not say *every*."""
    scope, words_of_title = judged.verdict.scope, judged.claim.title
    if judged.verdict.word not in _TRUE:
        return
    for dims in _dimensions(judged):
        if not scope:
            words = f"It is proved with this scope: {dims}; the word of its verdict does not say so."
            yield judged, words, "give its scope (scope=), or prove it in general", {"scope": dims}
    limited = scope or any(isinstance(c, OneDimensional) for c in judged.claim.conditions)
    found = _ALL.search(str(words_of_title))
    if limited and found:
        told = scope or "D = 1"
        words = f"Its title says {found[0]!r}, and it is proved with this scope: {told}."
        yield judged, words, "say the scope in the title", {"scope": told}


def _dimensions(judged: Judged) -> list[str]:
    data = (e.data for e in judged.verdict.finding.evidence if e.route == "symbolic")
    return [str(d["dimensions"]) for d in data if d.get("dimensions", "every") not in _GENERAL][:1]


def good() -> tuple[Judged, ...]:
    """A proof for all values of letters."""
    x, y = letters("x y")
    return (_samples.judged("Every square", printed=Equal(x * y, y * x)),)


def bad() -> tuple[Judged, ...]:
    """A proof in one dimension, told as a proof."""
    (one,) = good()
    evidence = (Evidence("symbolic", "Proved.", {"dimensions": "D = 1 in letters"}),)
    return (
        _samples.changed(one, evidence=evidence),
        _samples.with_finding(replace(one.claim, given=(OneDimensional(()),)), one.verdict.finding),
    )
