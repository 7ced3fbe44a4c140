"""The page of an experiment: the paper's numbers, ours, exact theory, and the verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from reports.document import (
    Block,
    Bullets,
    Code,
    Heading,
    Link,
    Number,
    Page,
    Paragraph,
    Table,
    Text,
    Verdict,
    VerdictWord,
)
from reports.drawn import drawn
from reports.pages.paper import short
from verification import library


def experiment_page(result: Any, known: Collection[str] = ()) -> Page:
    """All about one result; pages of papers and claims that are ``known`` are linked."""
    about, found = result.experiment, result.findings
    paper = f"paper-{about.paper}"
    blocks: list[Block] = [Verdict(result.word, result.sentence)]
    if paper in known:
        blocks.append(Paragraph(("Of the paper ", Link(short(library.paper(about.paper)), paper), ".")))
    blocks.append(Paragraph(_data(result)))
    blocks += [drawn(plot) for plot in found.plots]
    blocks += [
        *_comparisons(found),
        *_shapes(found),
        *_contradictions(found, known),
        *_agreements(found),
    ]
    blocks += _settings(result)
    if found.notes:
        blocks += [Heading(2, "Notes"), Bullets(tuple(found.notes))]
    scale = "" if result.scale == "laptop" else f" --scale {result.scale}"
    own = "".join(f" --data {name}=FILE" for name in result.files)
    command = f"sgtheory experiment {about.name}{scale} --seed {result.seed}{own}"
    blocks += [Heading(2, "Make it again"), Code(command, "sh")]
    title = f"{about.locator}: {about.title}" if about.locator else about.title
    return Page(
        slug=f"experiment-{about.name}",
        title=title,
        blocks=tuple(blocks),
        kind="experiment",
        summary=f"{about.paper or 'A figure that no paper has'}, at {result.scale} scale.",
        trail=(Link("experiments", "experiments"),),
    )


def _data(result: Any) -> Text:
    data = " ".join(result.findings.data) or "No data: the model is written down."
    if result.scale == "laptop":
        return f"{data} Laptop scale: {result.experiment.changed}"
    return f"{data} At the paper's sizes."


def number(amount: Any) -> Text:
    """An amount as a number that tells its kind."""
    if amount is None:
        return "–"
    kind = amount.kind if amount.kind in ("exact", "certified") else "estimated"
    detail = f"{amount.error:.1g}" if amount.error and kind != "exact" else ""
    return Number(f"{amount.value:.4g}", kind, detail)


def _comparisons(found: Any) -> list[Block]:
    if not found.comparisons:
        return []
    rows = tuple(
        (c.what, c.printed, number(c.ours), number(c.theory), "meets" if c.agrees else "does not meet")
        for c in found.comparisons
    )
    caught = sum(not c.twin().agrees for c in found.comparisons)
    return [
        Heading(2, "Printed numbers and ours"),
        Table(
            ("what", "printed", "ours", "exact theory", "the printed number"),
            rows,
            caption="± is half an interval. A printed number stands for all that round to it: 1.3 for"
            f" 1.25 to 1.35, 2 for 1.5 to 2.5. Of {len(rows)} printed numbers moved on purpose {caught}"
            " were noticed.",
            align="lrrrl",
        ),
    ]


def _shapes(found: Any) -> list[Block]:
    if not found.shapes:
        return []
    rows = tuple(
        (s.words, s.seen, "holds" if s.holds else "does not hold", _twin(s)) for s in found.shapes
    )
    return [
        Heading(2, "What the paper says about it"),
        Table(("statement", "seen", "here it", "the same of spoilt numbers"), rows, align="llll"),
    ]


def _twin(shape: Any) -> str:
    return f"{'holds' if shape.twin_holds else 'does not hold'} ({shape.twin})"


def _contradictions(found: Any, known: Collection[str]) -> list[Block]:
    if not found.contradictions:
        return []
    rows = tuple(
        (
            Link(c.formula, c.formula) if c.formula in known else c.formula,
            c.words,
            number(c.by_formula),
            number(c.printed),
            "yes" if c.contradicts else "no",
        )
        for c in found.contradictions
    )
    return [
        Heading(2, "The paper's formulas at the paper's settings"),
        Table(("formula", "what", "by the formula", "printed", "contradiction"), rows, align="llrrl"),
    ]


def _agreements(found: Any) -> list[Block]:
    if not found.agreements:
        return []
    rows = tuple(
        (a.what, number(a.measured), number(a.exact), "yes" if a.agrees else "NO")
        for a in found.agreements
    )
    return [
        Heading(2, "Simulation against exact theory"),
        Table(
            ("what", "simulated", "exact", "agree"), rows, caption="± is half an interval.", align="lrrl"
        ),
    ]


def _settings(result: Any) -> list[Block]:
    rows = tuple(
        (s.name, s.printed or "not printed", s.where, s.ours or "as printed")
        for s in result.experiment.settings
    )
    return [Heading(2, "Settings"), Table(("setting", "printed", "where", "here"), rows, align="llll")]


def experiments_page(results: Sequence[Any]) -> Page:
    """The list of all results."""
    rows = tuple(
        (
            Link(r.experiment.name, f"experiment-{r.experiment.name}"),
            r.experiment.title,
            VerdictWord(r.word),
            r.sentence,
        )
        for r in results
    )
    return Page(
        slug="experiments",
        title="The papers' figures and tables, made again",
        blocks=(Table(("experiment", "what it shows", "verdict", "why"), rows, align="llll"),),
        kind="experiments",
        summary="Each is made from its printed settings and held against exact theory.",
    )
