"""The page of an experiment: the paper's numbers, ours, exact theory, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
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
    Strong,
    Table,
    Text,
    Verdict,
    VerdictWord,
)
from reports.drawn import drawn
from reports.pages.paper import short
from reports.pages.words import installed, title_of, typeset
from verification import library
from verification.experiments.record import MEANINGS

TRAIL = (Link("Figures and tables", "experiments"),)
_WIDE = 10  # a number with an error of more than its tenth is told by the ends of its interval


def experiment_page(result: Any, known: Mapping[str, str] | None = None) -> Page:
    """All about one result; ``known`` are the places of papers and claims that can be linked."""
    about, found, places = result.experiment, result.findings, known or {}
    paper = f"paper-{about.paper}"
    blocks: list[Block] = [Verdict(result.word, typeset(result.sentence))]
    if paper in places:
        blocks.append(Paragraph(("Of the paper ", Link(short(library.paper(about.paper)), paper), ".")))
    blocks += [
        *_in_the_paper(about, places),
        Heading(2, "Made again"),
        Paragraph(_data(result)),
        *(drawn(plot) for plot in found.plots),
        *_comparisons(found),
        *_shapes(found),
        *_contradictions(found, places),
        *_agreements(found),
        *_settings(result),
    ]
    if found.notes:
        blocks += [Heading(2, "Notes"), Bullets(tuple(map(typeset, found.notes)))]
    scale = "" if result.scale == "laptop" else f" --scale {result.scale}"
    own = "".join(f" --data {name}=FILE" for name in result.files)
    command = f"sgtheory experiment {about.name}{scale} --seed {result.seed}{own}"
    blocks += [Heading(2, "Make it again"), *([installed()] if places else []), Code(command, "sh")]
    return Page(
        slug=f"experiment-{about.name}",
        title=titled(about),
        blocks=tuple(blocks),
        kind="experiment",
        summary=f"{of_paper(about) or 'A figure that no paper has'}, at {result.scale} scale.",
        trail=TRAIL,
    )


def titled(about: Any) -> str:
    """What its page is called."""
    return f"{about.locator}: {about.title}" if about.locator else str(about.title)


def _in_the_paper(about: Any, places: Mapping[str, str]) -> list[Block]:
    """What the paper says of it, statement by statement, each with the way to its verdict."""
    claims = [c for c in library.claims(about.paper) if c.id in about.ids] if about.ids else []
    items = tuple((_statement(c, places.get(c.id)), ": ", *typeset(c.says)) for c in claims)
    return [Heading(2, "In the paper"), Bullets(items)] if items else []


def _statement(claim: Any, place: str | None) -> Link | Strong:
    title = title_of(claim.title)
    return Link(title, place) if place else Strong(title)


def of_paper(about: Any) -> str:
    """The paper of an experiment as one calls it; empty where there is none."""
    return short(library.paper(about.paper)) if about.paper else ""


def where(about: Any) -> str:
    """The figure or table of a paper; a title stands beside it."""
    return about.locator or "New figure"


def meanings() -> Details:
    """What the verdicts on experiments mean."""
    rows = tuple((VerdictWord(word), words) for word, words in MEANINGS.items())
    table = Table(("verdict", "meaning"), rows, align="ll")
    return Details("What the verdicts on figures and tables mean", (table,))


def _data(result: Any) -> Text:
    data = " ".join(result.findings.data) or "No data: the model is written down."
    if result.scale == "laptop":
        return typeset(f"{data} Laptop scale: {result.experiment.changed}")
    return typeset(f"{data} At the paper's sizes.")


def number(amount: Any) -> Text:
    """An amount as a number that tells its kind; of its error one digit, and no power of ten for 10."""
    if amount is None:
        return "–"
    kind = amount.kind if amount.kind in ("exact", "certified") else "estimated"
    detail = f"{float(f'{amount.error:.1g}'):g}" if amount.error and kind != "exact" else ""
    return Number(f"{amount.value:.4g}", kind, detail)


def interval(amount: Any) -> Text:
    """An amount that is a range rather than a number with a small error, by its two ends."""
    low, high = amount.value - amount.error, amount.value + amount.error
    if amount.error <= abs(amount.value) / _WIDE:
        return number(amount)
    ends = (f"{outward(low, down=True)} to " if low > 0 else "at most ") + outward(high)
    return Number(ends, "estimated" if amount.kind == "estimated" else "certified")


def outward(value: float, down: bool = False) -> str:
    """Four digits, rounded away from what lies between the ends.

    >>> outward(42.9221), outward(4.72789, down=True)
    ('42.93', '4.727')
    """
    rounding = ROUND_FLOOR if down else ROUND_CEILING
    return f"{Context(prec=4, rounding=rounding).create_decimal(Decimal(value)):g}"


def as_printed(amount: Any) -> Text:
    """A number of the paper to the digits that it has; it is nobody's estimate."""
    places = max(0, -math.floor(math.log10(2 * amount.error))) if amount.error else 0
    return f"{amount.value:.{places}f}"


def _comparisons(found: Any) -> list[Block]:
    if not found.comparisons:
        return []
    rows = tuple(
        (
            typeset(c.what),
            c.printed,
            number(c.ours),
            number(c.theory),
            "meets" if c.agrees else "does not meet",
        )
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
        (typeset(s.words), typeset(s.seen), "holds" if s.holds else "does not hold", _twin(s))
        for s in found.shapes
    )
    return [
        Heading(2, "What the paper says about it"),
        Table(("statement", "seen", "here", "with numbers made wrong on purpose"), rows, align="llll"),
    ]


def _twin(shape: Any) -> Text:
    return (*typeset(shape.twin), f": {'holds' if shape.twin_holds else 'does not hold'}")


def _contradictions(found: Any, places: Mapping[str, str]) -> list[Block]:
    if not found.contradictions:
        return []
    rows = tuple(
        (
            Link(c.formula, places[c.formula]) if c.formula in places else typeset(c.formula),
            typeset(c.words),
            interval(c.by_formula),
            as_printed(c.printed),
            "yes" if c.contradicts else "no",
        )
        for c in found.contradictions
    )
    return [
        Heading(2, "The paper's formulas at the paper's settings"),
        Table(
            ("formula", "what", "by the formula", "printed", "contradiction"),
            rows,
            caption="A contradiction is where no number that rounds to the printed one is given by the"
            " formula.",
            align="llrrl",
        ),
    ]


def _agreements(found: Any) -> list[Block]:
    if not found.agreements:
        return []
    rows = tuple(
        (typeset(a.what), number(a.measured), number(a.exact), "yes" if a.agrees else "NO")
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
        tuple(map(typeset, (s.name, s.printed or "not printed", s.where, s.ours or "as printed")))
        for s in result.experiment.settings
    )
    return [Heading(2, "Settings"), Table(("setting", "printed", "where", "here"), rows, align="llll")]


def experiments_page(results: Sequence[Any]) -> Page:
    """The list of all results, paper by paper."""
    blocks: list[Block] = [meanings()]
    for paper in dict.fromkeys(of_paper(r.experiment) for r in results):
        own = [r for r in results if of_paper(r.experiment) == paper]
        rows = tuple(
            (
                Link(where(r.experiment), f"experiment-{r.experiment.name}"),
                r.experiment.title,
                VerdictWord(r.word),
                typeset(r.sentence),
            )
            for r in own
        )
        table = Table(("where", "what it shows", "verdict", "why"), rows, align="llll")
        blocks += [Heading(2, paper or "Figures that no paper has"), table]
    return Page(
        slug="experiments",
        title="The papers' figures and tables, made again",
        blocks=tuple(blocks),
        kind="experiments",
        summary="Each is made from its printed settings and held against exact theory.",
    )
