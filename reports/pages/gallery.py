"""The gallery: one drawing of each kind that the pages of a report have, with the way to its page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reports.document import Block, Figure, Heading, Link, Page, Paragraph, walk


def gallery_page(pages: Sequence[Page]) -> Page:
    """The first drawing of each kind, in the order of the pages."""
    blocks: list[Block] = []
    for kind, (page, figure) in first_of_each(pages).items():
        blocks += [
            Heading(2, kind[0].upper() + kind[1:]),
            replace(figure, name=f"gallery-{kind.replace(' ', '-')}"),
            Paragraph(("From the page “", Link(page.title, page.slug), "”.")),
        ]
    return Page(
        slug="gallery",
        title="Gallery",
        blocks=tuple(blocks),
        kind="gallery",
        summary="One drawing of each kind; its data stand under it, and beside it as CSV.",
        trail=(Link("All papers", "index"),),
    )


def first_of_each(pages: Sequence[Page]) -> dict[str, tuple[Page, Figure]]:
    """By kind: the words of a figure's name without what names its page."""
    found: dict[str, tuple[Page, Figure]] = {}
    for page in pages:
        for block in walk(page.blocks):
            if isinstance(block, Figure) and block.name:
                found.setdefault(kind_of(block.name), (page, block))
    return found


def kind_of(name: str) -> str:
    """What kind a drawing is of, by its name.

    >>> kind_of("effective-samples"), kind_of("measured-thm1-kl")
    ('effective samples', 'measured')
    """
    return re.sub(r"^(measured)-.*", r"\1", name).replace("-", " ")
