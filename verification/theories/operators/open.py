"""Functions that are left open, and what is asked of a side that has them."""

from __future__ import annotations

from verification.terms.term import Applied, Letter, Term
from verification.terms.words import word


def asks_for_more(side: Term) -> bool:
    """Whether it asks for more than derivatives of functions left open, which stay what they are."""
    parts = [t for t in side.subterms() if isinstance(t, Applied)]
    return not all(map(_is_open, (t for t in parts if word(t.head).order)))


def _is_open(one: Term) -> bool:
    if not isinstance(one, Applied) or one.head not in ("of", "partial"):
        return False
    inner, *by = one.of
    if one.head == "of":
        return all(isinstance(a, Letter) for a in one.of)
    return by[0] in inner.letters and _is_open(inner)
