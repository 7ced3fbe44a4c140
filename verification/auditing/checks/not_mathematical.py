"""Entries that no computation decides: do the words say why?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sgtheory.notation.sentence import Formula, Sentence
from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.statements import at
from verification.statements.definition import NotMathematical

# What an entry speaks of that is told to be of such a kind; of other kinds nothing is asked.
_SPEAKS = {
    "attribution": r"ascribed|attribut|named after|quoted|taken from|recall|likened|suggested|report"
    r"|[Oo]thers|authors|earlier|literature|\bet al|\(\d{4}\)|\bof [A-Z]",
    "picture": r"(?i:figure|picture|curve|graph|axis|colou?r|shown|ellipse|table|listing|plot|trace"
    r"|lines of|slopes|look|read off|samples of|along the iterations)",
    "timing": r"\btime|second|minute|hour|epoch|fast|slow|cost|expensive|cheap",
}
# What can be computed, or looked up.
_COMPUTED = (
    r"unique|only invariant|\bexists?\b|existence|commute|of the order|\brate n\^|bound of the order"
    r"|as smooth as|which equation|where .* is printed|proportional"
)


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """What is not judged is no mathematics, and the words for why fit what it says."""
    claim = judged.claim
    if not isinstance(claim, NotMathematical):
        return
    told = judged.words
    speaks = _SPEAKS.get(claim.because)
    if speaks is not None and not re.search(speaks, told):
        words = f"It is told to be {_a(claim.because)}, and speaks of none."
        yield judged, words, "judge it, or say why no computation can"
    found = re.search(_COMPUTED, told, re.IGNORECASE)
    formula = next(filter(_says_something, _pieces(claim)), None)
    if found or formula is not None:
        what = found[0] if found else str(getattr(formula, "text", ""))
        words = f"It is not judged, and says something that a computation may decide: {what}."
        yield judged, words, "judge it, or say why no computation can", {"says": what}


def _a(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _says_something(piece: Any) -> bool:
    """Whether it is a formula with an operation in it, and no name or number."""
    return isinstance(piece, Formula) and any(sign in piece.text[1:] for sign in "=<>^*/(")


def _pieces(claim: Any) -> tuple[Any, ...]:
    return tuple(p for s in (claim.title, claim.says) if isinstance(s, Sentence) for p in s.pieces)


def good() -> tuple[Judged, ...]:
    """It says who did what."""
    entry = at("eq1", "Eq. 1").attribution("Who did it", "It is ascribed to Adam.")
    return (_samples.of(replace(entry, paper="sample")),)


def bad() -> tuple[Judged, ...]:
    """A statement of uniqueness, and settings that are told to be times."""
    unique = at("eq2", "Eq. 2").attribution("Its solution is unique", "It is ascribed to Adam.")
    settings = at("eq3", "Eq. 3").timing("Settings", "Networks of two layers are used.")
    return tuple(_samples.of(replace(one, paper="sample")) for one in (unique, settings))
