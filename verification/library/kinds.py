"""Which files hold claims, by their names."""

from __future__ import annotations

TEXTS = (".md", ".markdown", ".tex")


def is_text(target: str) -> bool:
    """Whether a target is a text with statements.

    >>> is_text("notes.md"), is_text("claims.py")
    (True, False)
    """
    return target.lower().endswith(TEXTS)
