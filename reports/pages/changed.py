"""The page of what changed between two verdict files, what is said of a claim first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reports.document import Block, Heading, Mono, Page, Paragraph, Table


def changes_page(changes: Sequence[Any], old: str, new: str, slug: str = "diff") -> Page:
    """Changes of verdicts, claims that came or went, and then all that is said otherwise."""
    claims = len({c.id for c in changes})
    said = f"{len(changes)} changes of {claims} claims." if changes else "Nothing is said otherwise."
    blocks: list[Block] = [Paragraph(("From ", Mono(old), " to ", Mono(new), f": {said}"))]
    first = [c for c in changes if c.what in ("verdict", "added", "removed")]
    groups = {"Verdicts": first, "What else is said": [c for c in changes if c not in first]}
    for title, some in groups.items():
        if some:
            rows = tuple((Mono(c.id), c.what, *map(Mono, c.ends)) for c in some)
            blocks += [Heading(2, title), Table(("claim", "what", "was", "is"), rows, align="llll")]
    return Page(slug, "What changed", tuple(blocks), kind="changes")
