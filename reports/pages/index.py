"""The index: papers with their theorems, samplers, what the words mean, and every claim to search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reports.document import (
    Block,
    Bullets,
    Details,
    Heading,
    Link,
    Page,
    Paragraph,
    Span,
    Table,
    VerdictWord,
)
from reports.pages.paper import citation, row, tallies, theorems
from reports.pages.row import Row
from verification.library import Paper

MEANINGS = (
    ("proved", "a symbolic proof, re-checked by an independent exact evaluator"),
    ("proved-if", "true under a condition that the paper does not state; the condition is given"),
    ("limit-only", "true to leading order; the order of the gap and its first term are given"),
    ("refuted", "an exact counterexample, and the corrected statement where there is one"),
    ("confirmed", "no proof, but measured to agree within a stated precision"),
    ("inconclusive", "neither; it is said what would decide"),
    ("definition", "fixes notation; checked for consistency"),
    ("not-mathematical", "an attribution, a picture, a judgement, the time of some hardware"),
)


def index_page(
    papers: Sequence[tuple[Paper, Sequence[Row]]], samplers: Sequence[Any], guides: Sequence[Page] = ()
) -> Page:
    """The first page of a report."""
    blocks: list[Block] = [
        Paragraph(
            "Stochastic-gradient samplers are biased by design: at a finite step they sample a law that"
            " is not the target. Papers often describe that law by its limit in continuous time. These"
            " pages hold what is printed against that limit, and against the law of the algorithm that"
            " really runs; each verdict comes with a proof, or with exact numbers that show the fault."
        ),
        *_meanings(),
        Bullets(tuple((Link(of.title, f"#{of.key}"), f" ({len(rows)} claims)") for of, rows in papers)),
    ]
    for about, rows in papers:
        blocks += _paper(about, rows)
    blocks += [
        *_every([row for _, rows in papers for row in rows]),
        Heading(2, "Samplers"),
        Table(
            ("sampler", "what it is"),
            tuple((Link(s.name, f"sampler-{s.name}"), s.title) for s in samplers),
            align="ll",
        ),
        *_guides(guides),
    ]
    return Page(
        slug="index",
        title="What the papers say, and what is so",
        blocks=tuple(blocks),
        kind="index",
        summary="Every claim of these papers with its verdict.",
    )


def _meanings() -> list[Block]:
    rows = tuple((VerdictWord(w), m) for w, m in MEANINGS)
    return [Details("What the verdicts mean", (Table(("verdict", "meaning"), rows, align="ll"),))]


def _paper(about: Paper, verdicts: Sequence[Row]) -> list[Block]:
    key = about.key
    more: tuple[Span, ...] = (
        Link(f"All {len(verdicts)} claims", f"paper-{key}"), " · ", Link("Errata", f"errata-{key}")
    )  # fmt: skip
    return [
        Heading(2, about.title, key),
        Paragraph(citation(about)),
        *tallies(verdicts),
        Paragraph(more),
        *(block for block in theorems(verdicts) if isinstance(block, Table)),
    ]


def _every(verdicts: Sequence[Row]) -> list[Block]:
    """All claims in one table to search; folded, as there are many."""
    rows = tuple((*row(v)[:3], v.paper) for v in verdicts)
    table = Table(
        ("where", "claim", "as printed", "paper"), rows, align="llll", search=f"all {len(rows)} claims"
    )
    return [Heading(2, "Find a claim"), Details(f"All {len(rows)} claims", (table,))]


def _guides(guides: Sequence[Page]) -> list[Block]:
    if not guides:
        return []
    rows = tuple((Link(g.title, g.slug), g.summary) for g in guides)
    return [Heading(2, "Guide"), Table(("page", "what it shows"), rows, align="ll")]
