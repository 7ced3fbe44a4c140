"""A paper's page: how its claims fare, all of them in a table, and the ways on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reports.document import (
    Block,
    Bullets,
    Code,
    Details,
    Heading,
    Link,
    Number,
    Page,
    Paragraph,
    Table,
    Tally,
    Text,
    VerdictWord,
    place_of,
)
from reports.pages.consequences import linked, matters
from reports.pages.row import COUNTED, WAYS, Row, beside, first_counted, sampler_slug, section_slug
from reports.pages.words import installed, typeset
from verification.library import Paper, paper, paper_keys, parts
from verification.statements.entry import STANDS

_NUMBERED = re.compile(r"(Theorem|Corollary|Lemma|Proposition) \d+")
_HEADERS: tuple[Text, ...] = ("where", "claim", "as printed", "for the discrete algorithm")
_MIXED = (*_HEADERS[:2], "as it stands", *_HEADERS[3:])  # where some are read, or ours
PENDING = "…"  # where something is still being computed
_ALL = 3  # authors up to which all are named
_CAPTION = (
    "Where a statement is of the limit in continuous time, the last column holds the same"
    " statement against the algorithm that takes steps; – means that there is nothing to read anew."
)


def about(key: str, source: str = "") -> Paper:
    """The paper of a key; a file of claims is one too."""
    return Paper(place_of(key), Path(source).name, "", 0, "", "") if source else paper(key)


def citation(paper: Paper) -> str:
    """Who, when and where, as far as it is known."""
    when = f"{paper.authors}, {paper.year}. {paper.venue}." if paper.authors else ""
    return when or f"Claims of {paper.title}."


def short(paper: Paper) -> str:
    """A paper as one calls it.

    >>> short(paper("mandt2017"))
    'Mandt, Hoffman and Blei 2017'
    """
    names = [author.split()[-1] for author in paper.authors.split(", ") if author]
    if not names:
        return paper.title
    if len(names) > _ALL:
        names = [f"{names[0]} et al."]
    together = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    poster = " (poster)" if "poster" in paper.venue.lower() else ""
    return f"{together} {paper.year}{poster}"


def paper_page(
    of: Paper, verdicts: Sequence[Row], results: Sequence[Any] = (), more: Sequence[Block] = ()
) -> Page:
    """All claims of a paper, and its figures and tables that were made again.

    ``more`` are claims without a page of their own that stand in no section.
    """
    key = of.key
    blocks: list[Block] = [Paragraph(citation(of)), *tallies(verdicts)]
    if any(v.is_faulty for v in verdicts):
        words = "All that needs a correction or a condition, as a sheet to be printed and sent"
        blocks += [*matters(verdicts), Paragraph((Link(words, f"errata-{key}"), "."))]
    blocks += theorems(verdicts)
    blocks += [
        *_sections(of, verdicts),
        Heading(2, "All claims"),
        table_of(verdicts, search="the claims"),
        *more,
        *_made_again(results),
        *_about(of, verdicts),
    ]
    return Page(
        slug=f"paper-{key}",
        title=of.title,
        blocks=tuple(blocks),
        kind="paper",
        summary=f"{len(verdicts)} claims, each with its verdict.",
        trail=(Link("All papers", "index"),),
    )


def _sections(of: Paper, verdicts: Sequence[Row]) -> list[Block]:
    """Its sections, with the ways to their pages."""
    there = {v.id for v in verdicts}
    known = parts(of.key) if of.key in paper_keys() else ()
    rows = tuple(
        (Link(part.title, section_slug(of.key, part)), Number(str(len(found))))
        for part in known
        if (found := [i for i in part.ids if place_of(i) in there])
    )
    table = Table(("section", "claims"), rows, align="lr")
    return [Heading(2, "Its sections"), table] if rows else []


def _made_again(results: Sequence[Any]) -> list[Block]:
    if not results:
        return []
    rows = tuple(
        (Link(r.experiment.locator or r.experiment.name, f"experiment-{r.experiment.name}"),
         r.experiment.title, VerdictWord(r.word), typeset(r.sentence))
        for r in results
    )  # fmt: skip
    return [
        Heading(2, "Its figures and tables, made again"),
        Table(("where", "what it shows", "verdict", "why"), rows, align="llll"),
    ]


def tallies(verdicts: Sequence[Row]) -> list[Block]:
    """How many that are printed have which verdict, and for the discrete algorithm; all else apart."""
    first = first_counted(verdicts)
    read = [word for v in first if (word := v.running_counted)]
    words = [v.counted for v in first if v.word]
    blocks: list[Block] = []
    if words:
        one, others = len(first) == 1, beside(verdicts)
        many = f"{len(first)} of {len(verdicts)} claims" if others else f"All {len(first)} claims"
        many = "Its one claim" if one and not others else many
        apart = f" Counted apart: {others}." if others else ""
        said = f"{many} {'is' if one else 'are'} {WAYS[first[0].way]}.{apart}"
        blocks += [Paragraph(said), _tally(words)]
    if read:
        many = "one is" if len(read) == 1 else f"{len(read)} are"
        told = (
            f"Of these {many} stated for the limit in continuous time; read for the discrete algorithm"
            f" {'it is' if len(read) == 1 else 'they are'}:"
        )
        blocks += [Paragraph(told), _tally(read)]
    return [*blocks, *_by_stands(verdicts)]


def _by_stands(verdicts: Sequence[Row]) -> list[Block]:
    """How printed formulas fare, sentences as they are read, and consequences of our own."""
    counts = Counter((v.way, v.counted) for v in verdicts if v.word)
    words = [w for w in COUNTED if any(counts[s, w] for s in STANDS)]
    ways = [s for s in STANDS if any(counts[s, w] for w in words)]
    if len(ways) < 2:  # it is told already
        return []
    rows: list[tuple[Text, ...]] = [("claims", *(str(sum(counts[s, w] for w in words)) for s in ways))]
    rows += [(w, *(str(counts[s, w] or "–") for s in ways)) for w in words]
    headers: tuple[Text, ...] = ("verdict", *(WAYS[s] for s in ways))
    return [Table(headers, tuple(rows), align="l" + "r" * len(ways))]


def _tally(words: Sequence[VerdictWord]) -> Tally:
    counts = Counter(words)
    return Tally(tuple((w, counts[w]) for w in COUNTED if counts[w]))


def numbered_of(verdicts: Sequence[Row]) -> list[Row]:
    """The numbered theorems alone, without the steps of their proofs."""
    return [v for v in verdicts if _NUMBERED.match(v.at) and "proof" not in v.at]


def theorems(verdicts: Sequence[Row], level: int = 2) -> list[Block]:
    """The numbered theorems in a table."""
    numbered = numbered_of(verdicts)
    if not numbered:
        return []
    return [
        Heading(level, "Statements of its theorems", f"theorems-{verdicts[0].paper}"),
        table_of(numbered),
    ]


def table_of(claims: Sequence[Row], search: str = "") -> Table:
    """Claims in a table; nothing is said of the discrete algorithm where all are about it."""
    headers = _HEADERS if all(c.stands == "printed" for c in claims) else _MIXED
    if any(c.read for c in claims):
        rows = tuple(map(row, claims))
        return Table(headers, rows, align="llll", caption=_CAPTION, search=search)
    return Table(headers[:3], tuple(row(c)[:3] for c in claims), align="lll", search=search)


def row(claim: Row) -> tuple[Text, ...]:
    """A claim in a line."""
    word = claim.said if claim.word else PENDING
    where, title = linked(claim)
    return (where, title, word, claim.running or "–")


def _about(of: Paper, verdicts: Sequence[Row]) -> list[Block]:
    tried, rejected = (sum(getattr(v, n) for v in verdicts) for n in ("tried", "rejected"))
    samplers = sorted({v.of for v in verdicts if v.of})
    items = tuple((Link(name, sampler_slug(name), typed=True),) for name in samplers)
    return [
        Heading(2, "Its samplers"),
        *([Bullets(items)] if items else [Paragraph("It is about no sampler that is declared here.")]),
        Heading(2, "How these verdicts were made"),
        Paragraph(
            f"Each statement was also corrupted on purpose; {rejected} of {tried} wrong statements were"
            " noticed. To make all verdicts again:"
        ),
        installed(),
        Code(f"sgtheory verify {verdicts[0].source or of.key}", "sh"),
        *([Details("BibTeX", (Code(of.bibtex, "bibtex"),))] if of.bibtex else []),
    ]
