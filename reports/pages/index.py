"""The index: papers with their theorems, samplers, what the words mean, and every claim to search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from reports.document import (
    Block,
    Details,
    Heading,
    Link,
    Number,
    Page,
    Paragraph,
    Span,
    Table,
    Text,
    VerdictWord,
)
from reports.pages.paper import citation, numbered_of, row, short, tallies, theorems
from reports.pages.row import Row
from verification.library import Paper
from verification.verdict import WORDS

_MANY = 15  # rows from which on a table of theorems is folded
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
    papers: Sequence[tuple[Paper, Sequence[Row]]],
    samplers: Sequence[Any],
    guides: Sequence[Page] = (),
    results: Sequence[Any] = (),
    more: Sequence[Page] = (),
) -> Page:
    """The first page of a report; ``results`` are of experiments, ``more`` is the reference."""
    papers = sorted(papers, key=lambda paper: -len(paper[1]))
    blocks: list[Block] = [
        Paragraph(
            "Stochastic-gradient samplers are biased by design: at a finite step they sample a law that"
            " is not the target. Papers often describe that law by its limit in continuous time. These"
            " pages hold what is printed against that limit, and against the law of the algorithm that"
            " really runs; each verdict comes with a proof, or with exact numbers that show the fault."
        ),
        *_glance(papers),
        *_meanings(),
    ]
    for about, rows in papers:
        blocks += _paper(about, rows)
    blocks += [
        *_every([row for _, rows in papers for row in rows]),
        *experiments(results),
        Heading(2, "Samplers"),
        Table(
            ("sampler", "what it is"),
            tuple((Link(s.name, f"sampler-{s.name}"), s.title) for s in samplers),
            align="ll",
        ),
        *_listed("Guide", guides),
        *_listed("Reference", more),
    ]
    return Page(
        slug="index",
        title="What the papers say, and what is so",
        blocks=tuple(blocks),
        kind="index",
        summary="Every claim with its verdict: as printed, and for the algorithm that runs.",
    )


def _glance(papers: Sequence[tuple[Paper, Sequence[Row]]]) -> list[Block]:
    """Which theorems hold, before anything else."""
    rows: list[tuple[Text, ...]] = []
    for about, verdicts in papers:
        numbered = numbered_of(verdicts)
        printed, running = ([v.word for v in numbered], [v.read or v.word for v in numbered])
        place = f"theorems-{about.key}" if numbered else about.key
        link, many = Link(short(about), f"#{place}"), Number(str(len(verdicts)))
        rows.append((link, many, _counts(printed), _counts(running)))
    words = (
        "How the numbered theorems, lemmas, corollaries and propositions fare; the link leads to them"
        " one by one. Limit-only: right as the step vanishes, wrong at a finite step."
    )
    headers = (
        "paper",
        "claims",
        "theorems as printed",
        "theorems for the algorithm that runs",
    )
    return [
        Heading(2, "Which theorems hold"),
        Table(headers, tuple(rows), caption=words, align="lrll"),
    ]


def _counts(words: Sequence[str]) -> Text:
    counts = Counter(words)
    spans = [(f"{counts[w]}\u00a0", VerdictWord(w), ", ") for w in WORDS if counts[w]]
    return tuple(span for part in spans for span in part)[:-1] or "none are numbered"


def experiments(results: Sequence[Any]) -> list[Block]:
    """Figures and tables that were made again, with their verdicts."""
    if not results:
        return []
    rows = tuple(
        (Link(r.experiment.locator or r.experiment.name, f"experiment-{r.experiment.name}"),
         r.experiment.title, VerdictWord(r.word), r.experiment.paper or "–")
        for r in results
    )  # fmt: skip
    words = (
        "Each was made again from its printed settings, at laptop scale, and held against exact theory."
    )
    return [
        Heading(2, "Figures and tables, made again"),
        Table(("where", "what it shows", "verdict", "paper"), rows, caption=words, align="llll"),
    ]


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
        *_folded(theorems(verdicts, level=3)),
    ]


def _folded(blocks: Sequence[Block]) -> list[Block]:
    """Long tables are folded: the index is looked over."""
    return [
        Details(f"All {len(b.rows)} of them", (b,))
        if isinstance(b, Table) and len(b.rows) > _MANY
        else b
        for b in blocks
    ]


def _every(verdicts: Sequence[Row]) -> list[Block]:
    """All claims in one table to search; folded, as there are many."""
    rows = tuple((*row(v)[:3], v.paper) for v in verdicts)
    table = Table(
        ("where", "claim", "as printed", "paper"), rows, align="llll", search=f"all {len(rows)} claims"
    )
    return [Heading(2, "Find a claim"), Details(f"All {len(rows)} claims", (table,))]


def _listed(title: str, pages: Sequence[Page]) -> list[Block]:
    if not pages:
        return []
    rows = tuple((Link(page.title, page.slug), page.summary) for page in pages)
    return [Heading(2, title), Table(("page", "what it shows"), rows, align="ll")]
