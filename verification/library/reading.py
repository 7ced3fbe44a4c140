"""How a claim of a text was read: what its letters are, and the Python that says the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verification.library.kinds import is_text
from verification.library.shelf import shelf


@dataclass(frozen=True)
class HowRead:
    """The words of the text, its letters with what they stand for, and the Python that says the same."""

    source: str
    line: int
    letters: tuple[tuple[str, str], ...]
    python: str


def how_read(claim: Any) -> HowRead | None:
    """How a claim of a text was read; None of a claim that is Python itself."""
    path = Path(claim.source) if claim.source else shelf().get(claim.paper)
    if path is None or not is_text(path.name):
        return None
    from verification.texts import read
    from verification.texts.python import said

    one = next(one for one in read(path).read if one.claim.key == claim.key)
    letters = tuple((name, _told(name, meaning)) for name, meaning in one.letters.items())
    return HowRead(one.source, one.line, letters, said(one.claim, one.given, one.python))


def _told(name: str, meaning: Any) -> str:
    own = str(meaning.term)
    return (
        meaning.said
        if own == name or getattr(meaning.term, "kind", "") == "state"
        else f"{meaning.said} ({own})"
    )
