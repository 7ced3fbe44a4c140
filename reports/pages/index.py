"""The index: papers with their theorems, samplers, and what the words mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from reports.document import (
    Block,
    Bullets,
    Details,
    Heading,
    Link,
    Mono,
    Note,
    Number,
    Page,
    Paragraph,
    Span,
    Table,
    Text,
    VerdictWord,
)
from reports.making import Fault
from reports.pages.consequences import counted
from reports.pages.experiment import meanings, of_paper, where
from reports.pages.findings import PageOf, findings
from reports.pages.glossary import VERDICTS
from reports.pages.paper import PENDING, citation, numbered_of, short, tallies, theorems
from reports.pages.row import COUNTED, Row, beside, first_counted, sampler_slug
from verification.conventions import libraries
from verification.conventions.record import Series
from verification.library import Paper

_GLANCE = "at-a-glance"
_MANY = 15  # rows from which on a table of theorems is folded


def index_page(
    papers: Sequence[tuple[Paper, Sequence[Row]]],
    samplers: Sequence[Any],
    guides: Sequence[Page] = (),
    results: Sequence[Any] = (),
    more: Sequence[Page] = (),
    notes: Sequence[Block] = (),
    page_of: PageOf = lambda _: None,
) -> Page:
    """The first page of a report; ``results`` are of experiments, ``more`` is the reference.

    ``notes`` stand before all else: how far a report has come, and what could not be made. ``page_of``
    has the pages of claims that are made, for their drawings.
    """
    papers = sorted(papers, key=lambda paper: -len(paper[1]))
    blocks: list[Block] = [
        Paragraph(
            "Stochastic-gradient samplers are biased by design: at a finite step they sample a law that"
            " is not the target. Papers often describe that law by its limit in continuous time. These"
            " pages hold what is printed against that limit, and against the law of the algorithm that"
            " really runs; each verdict comes with a proof, or with exact numbers that show the fault."
        ),
        *_ways(papers),
        *findings(papers, page_of),
        *_glance(papers),
        *_meanings(),
    ]
    for about, rows in papers:
        blocks += _paper(about, rows)
    blocks += [
        *experiments(results),
        *_samplers(samplers),
        *_shelf({s.name for s in samplers}),
        *_listed("Guide", guides),
        *_listed("Reference", more),
    ]
    return Page(
        slug="index",
        title="What the papers say, and what is so",
        blocks=(*notes, *blocks),
        kind="index",
        summary="Every claim with its verdict: as it stands, and for the algorithm that runs.",
    )


def _ways(papers: Sequence[tuple[Paper, Sequence[Row]]]) -> list[Block]:
    """Where a referee's questions are answered."""
    if not papers:
        return []
    about, rows = papers[0]
    again = f"sgtheory verify {(rows[0].source if rows else '') or about.key}"
    told: Text = (
        "Which theorems hold is in the ", Link("first table", f"#{_GLANCE}"), "; errata, linked there,"
        " say which errors change a conclusion, how large they are, and what to write instead. ",
        Mono(again), " judges a paper anew; the page of a claim ends with its own command.",
    )  # fmt: skip
    return [Paragraph(told)]


def _samplers(samplers: Sequence[Any]) -> list[Block]:
    rows = tuple((Link(s.name, sampler_slug(s.name), typed=True), s.title) for s in samplers)
    return [Heading(2, "Samplers"), Table(("sampler", "what it is"), rows, align="ll")] if rows else []


def coming(done: int = 0, total: int = 0) -> list[Block]:
    """What stands on the index of a report that is still being made; at first nobody knows how long."""
    there = f"{done} of {total} pages are there" if total else "its claims are being read"
    words = (
        f"This report is being made: {there}. What is still being computed is"
        f" marked {PENDING} here; load this page again to see more. If the run was stopped, the same"
        " command goes on where it was."
    )
    return [Note("note", (Paragraph(words),))]


def not_made(faults: Sequence[Fault]) -> list[Block]:
    """What stands on the index where some pages could not be made."""
    if not faults:
        return []
    items = tuple((Link(f.slug, f.slug), f": {f.reason}") for f in faults)
    return [
        Note("caution", (Paragraph("Not all pages could be made as they should be:"), Bullets(items)))
    ]


def _shelf(known: Collection[str]) -> list[Block]:
    """Libraries that are described, and the pages of the samplers that theirs are held against."""
    rows: list[tuple[Text, ...]] = []
    for library in libraries().values():
        each = [e for e in library.entries if not isinstance(e, Series)]
        each += [e.make(e.default) for e in library.entries if isinstance(e, Series)]
        liked = {m.like.partition(":")[0] for e in each for m in e.matches}
        spans = [
            s for n in sorted(liked & set(known)) for s in (", ", Link(n, f"sampler-{n}", typed=True))
        ]
        theirs = tuple(s for e in library.entries for s in (", ", Mono(f"{library.name}.{e.name}")))[1:]
        if spans:
            rows.append((f"{library.package} ({library.language})", theirs, tuple(spans[1:])))
    if not rows:
        return []
    words = (
        "Samplers of other libraries, and the pages of those that they are held against here; a page"
        " translates parameters where that is proved."
    )
    headers = ("library", "its samplers", "pages here")
    search = "libraries and samplers"
    return [
        Heading(2, "Samplers of libraries"),
        Table(headers, tuple(rows), caption=words, align="lll", search=search),
    ]


def _glance(papers: Sequence[tuple[Paper, Sequence[Row]]]) -> list[Block]:
    """Which theorems hold, before anything else; then works of which no numbered theorem is held."""
    theorems, others = [], []
    for about, verdicts in papers:
        numbered = [v for v in numbered_of(verdicts) if v.word != "definition"]
        if numbered:
            theorems.append(_fares(about, f"theorems-{about.key}", numbered, verdicts))
        else:
            others.append(_fares(about, about.key, verdicts, verdicts))
    words = (
        "How the statements of the numbered theorems, lemmas, corollaries and propositions fare: a"
        " theorem may make several, and definitions are not counted. Words are counted of those that are"
        " printed; what is read from a sentence, or derived by us, stands beside them. The link leads to"
        " them one by one."
        " Limit-only: right as the step vanishes, wrong at a finite step."
    )
    rest = (
        "How the statements fare that are held of a work: those that are printed, or, of a work that is"
        " told in our words, what is commonly said. The link leads to more about it."
    )
    blocks: list[Block] = []
    if theorems:
        title, told = "Which theorems hold", "statements of theorems, as they stand"
        blocks += [Heading(2, title, _GLANCE), _faring(theorems, told, words)]
    if others:
        title = "How the statements of other works fare" if theorems else "How statements fare"
        table = _faring(others, "statements, as they stand", rest)
        blocks += [Heading(2, title, "" if theorems else _GLANCE), *_folded([table])]
    return blocks


def _faring(rows: Sequence[tuple[Text, ...]], told: str, words: str) -> Table:
    headers = ("paper", "claims", told, "for the algorithm that runs", "of all claims, errata")
    return Table(headers, tuple(rows), caption=words, align="lrlll")


def _fares(about: Paper, place: str, told: Sequence[Row], whole: Sequence[Row]) -> tuple[Text, ...]:
    """A row: how some statements of a paper fare as they stand, and for the algorithm that runs.

    Those that are printed are counted; beside them is said how many are read, or derived.
    """
    first, others = first_counted(told), beside(told)
    stated = [v.counted if v.word else None for v in first]
    running = [v.running_counted or w for v, w in zip(first, stated, strict=True)]
    of = f"of {len(first)} {first[0].way}: " if first else ""
    second: Text = "the same" if stated == running else _counts(running, of)
    link = Link(short(about), f"#{place}")
    counts = _counts(stated, of)
    if others and PENDING not in counts:
        counts = (*counts, f"; beside them {others}")
    running_too = second if first and all(stated) else PENDING
    errata: Text = PENDING
    if whole and all(v.word for v in whole):
        errata = Link(counted(whole) or "errata", f"errata-{about.key}")
    return link, Number(str(len(whole))), counts, running_too, errata


def _counts(words: Sequence[VerdictWord | None], of: str) -> tuple[Span | str, ...]:
    if not words or not all(words):
        return (PENDING,)
    counts = Counter(words)
    spans = [(f"{counts[w]}\u00a0", w, ", ") for w in COUNTED if counts[w]]
    return (of, *tuple(span for part in spans for span in part)[:-1])


def experiments(results: Sequence[Any]) -> list[Block]:
    """Figures and tables that were made again, with their verdicts."""
    if not results:
        return []
    rows = tuple(
        (Link(where(r.experiment), f"experiment-{r.experiment.name}"),
         r.experiment.title, VerdictWord(r.word), of_paper(r.experiment) or "new")
        for r in results
    )  # fmt: skip
    words = (
        "Each was made again from its printed settings, at laptop scale, and held against exact theory."
    )
    return [
        Heading(2, "Figures and tables, made again"),
        Table(("where", "what it shows", "verdict", "paper"), rows, caption=words, align="llll"),
        meanings(),
    ]


def _meanings() -> list[Block]:
    rows = tuple((VerdictWord(term.word), term.meaning) for term in VERDICTS)
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


def _listed(title: str, pages: Sequence[Page]) -> list[Block]:
    if not pages:
        return []
    rows = tuple((Link(page.title, page.slug), page.summary) for page in pages)
    return [Heading(2, title), Table(("page", "what it shows"), rows, align="ll")]
