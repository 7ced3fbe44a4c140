"""The findings of the front page: the heaviest fault of each paper, with a drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from reports.document import Block, Equation, Figure, Heading, Page, Paragraph, walk
from reports.pages.consequences import faults_of, to_claim, wrong_with
from reports.pages.paper import short
from reports.pages.row import Row
from reports.pages.words import title_of
from reports.spans import spans_of
from verification.consequence.kinds import KINDS
from verification.consequence.ranking import Fault
from verification.library import Paper

MOST = 3
PageOf = Callable[[str], Page | None]


def findings(papers: Sequence[tuple[Paper, Sequence[Row]]], page_of: PageOf) -> list[Block]:
    """Of each paper the heaviest fault that can be drawn; of those, by the same measure, the first."""
    found = []
    for paper, rows in papers:
        drawn = ((f, d) for f in faults_of(rows) if f.weight and (d := _drawn(f, page_of)) is not None)
        first = next(drawn, None)
        if first is not None:
            found.append((paper, rows, *first))
    found.sort(key=lambda one: (KINDS.index(one[2].kind), -one[2].weight))
    blocks = [b for k, one in enumerate(found[:MOST], start=1) for b in _told(k, *one, page_of)]
    if not blocks:
        return []
    words = (
        "Of each paper, what weighs most among its errata and can be drawn; chosen and put in order by"
        " the measure that the sheets of errata have, not by hand."
    )
    title = "Findings that surprise" if len(found) > 1 else "What weighs most"
    return [Heading(2, title, "findings"), Paragraph(words), *blocks]


def _drawn(fault: Fault, page_of: PageOf) -> Figure | None:
    """The first drawing on a page of its entries."""
    pages = (page_of(item.id) for item in fault.items)
    return next((b for page in pages if page for b in walk(page.blocks) if isinstance(b, Figure)), None)


def _told(
    k: int, paper: Paper, rows: Sequence[Row], fault: Fault, drawing: Figure, page_of: PageOf
) -> list[Block]:
    known = {row.id: row for row in rows}
    row, page = known[fault.first.id], page_of(fault.first.id)
    said = _said(page.blocks) if page is not None else []
    others = sum(item.stands != "derived" for item in fault.items[1:])
    more = f" With it fall {others} other statements." if others > 1 else ""
    more = " With it falls one other statement." if others == 1 else more
    way = Paragraph((f"{short(paper)}, ", to_claim(row), ".", more))
    return [
        Heading(3, title_of(row.title), f"finding-{k}"),
        way,
        *said,
        *wrong_with(row.consequence, row.stands),
        replace(drawing, name=f"finding-{k}-drawing"),
    ]


def _said(blocks: Sequence[Block]) -> list[Block]:
    """What is stated in words; of what has none, the formulas."""
    first, *rest = blocks
    if not isinstance(first, Paragraph):
        return []
    told = [one for one in spans_of(first.spans)[1:] if one]
    formulas = takewhile(lambda one: isinstance(one, Equation), rest) if not told else ()
    return [first, *(replace(one, label="") for one in formulas if isinstance(one, Equation))]
