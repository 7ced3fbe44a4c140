"""A section's page: its statements in a table, and in full those that no computation decides."""

from __future__ import annotations

from collections.abc import Sequence

from reports.document import Block, Heading, Link, Page, place_of
from reports.pages.paper import short, table_of
from reports.pages.row import Row, section_slug
from reports.pages.words import title_of
from verification.library import Paper, Part


def section_page(of: Paper, part: Part, claims: Sequence[tuple[Row, Page]]) -> Page:
    """A section of a paper; what has no page of its own stands here, at a place of its own."""
    rows = [row for row, _ in claims]
    return Page(
        slug=section_slug(place_of(of.key), part),
        title=part.title,
        blocks=(table_of(rows), *undecided_of(claims)),
        kind="section",
        summary=f"Statements, each with its verdict: {len(rows)}.",
        trail=(Link("All papers", "index"), Link(short(of), f"paper-{of.key}")),
    )


def undecided_of(claims: Sequence[tuple[Row, Page]]) -> list[Block]:
    """The statements that have no page of their own, each under its heading."""
    blocks: list[Block] = []
    for row, page in claims:
        if row.place:
            blocks += [Heading(2, title_of(f"{row.at}: {row.title}"), row.id), *page.blocks]
    return blocks
