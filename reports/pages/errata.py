"""Errata: what does not hold, with corrections and counterexamples, courteously."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reports.document import (
    Block,
    Bullets,
    Details,
    Equation,
    Heading,
    Link,
    Page,
    Paragraph,
    Verdict,
    VerdictWord,
    place_of,
)
from reports.pages.numbers import counterexample
from reports.pages.paper import citation, short
from reports.pages.row import Row
from reports.pages.words import begins, title_of, typeset
from sgtheory.notation.sentence import joined
from verification.library import Paper
from verification.statements.entry import STANDS

_TOLD = {
    "refuted": "shown to be false by a counterexample or a proof",
    "proved-if": "true under a condition that is not stated",
    "limit-only": "right as the step vanishes, wrong at a finite step",
}


@dataclass(frozen=True)
class Entry:
    """A claim's verdict, and what the errata say of it."""

    word: str
    blocks: tuple[Block, ...]
    stands: str = "printed"


_HOLD, _FAULTY = ("proved", "confirmed"), ("refuted", "proved-if", "limit-only")


def errata_page(about: Paper, verdicts: Sequence[Entry]) -> Page:
    """The entries of a paper that need a correction or a condition."""
    key = about.key
    faulty = [v for v in verdicts if v.word in _FAULTY]
    hold = sum(v.word in _HOLD for v in verdicts)
    rest = len(verdicts) - hold - len(faulty)
    words = "fix notation, are no mathematics or a matter of degree, or were not decided"
    more = f" The other {rest} {words}." if rest else ""
    blocks: list[Block] = [
        Paragraph(
            f"{citation(about)} Claims examined: {len(verdicts)}; as they stand hold {hold},"
            f" and in need of a correction or a condition, below, are {len(faulty)}.{more}"
            " Each was found by machine."
        ),
        *_summary(faulty),
    ]
    for verdict in faulty:
        blocks += verdict.blocks
    return Page(
        slug=f"errata-{key}",
        title=f"Notes on: {about.title}",
        blocks=tuple(blocks),
        kind="errata",
        summary=f"Corrections to {about.title}.",
        trail=(Link("All papers", "index"), Link(short(about), f"paper-{key}")),
    )


def _summary(faulty: Sequence[Entry]) -> list[Block]:
    """What follows, counted and listed, before it."""
    counts = Counter(v.word for v in faulty)
    if not faulty:
        return []
    told = ", ".join(f"{counts[word]} {words}" for word, words in _TOLD.items() if counts[word])
    heads = [(v.word, b) for v in faulty for b in v.blocks if isinstance(b, Heading) and b.level == 2]
    items = tuple((Link(h.text, f"#{h.anchor}"), ": ", VerdictWord(word)) for word, h in heads)
    return [
        Paragraph(
            f"In short: {told}.{_stand(faulty)} Counterexamples written as whole numbers and fractions"
            " are exact."
        ),
        Details(f"Contents: {len(faulty)} item{'s' * (len(faulty) != 1)}", (Bullets(items),)),
    ]


def _stand(faulty: Sequence[Entry]) -> str:
    """How many of them are printed, where not all are: what we read or derive may be our mistake."""
    printed, read, derived, common = (sum(v.stands == s for v in faulty) for s in STANDS)
    if common == len(faulty):
        return " They are about what is commonly said, in our words, not about what the work prints."
    if printed == len(faulty):
        return ""
    told = f", {common} about what is commonly said" if common else ""
    return (
        f" Of these {printed} are about formulas that are printed, {read} about sentences as we read"
        f" them, {derived} about consequences that are not printed{told}."
    )


def entry(verdict: Any) -> Entry:
    """What the errata say of one claim; nothing where it holds."""
    blocks = tuple(_entry(verdict)) if verdict.word in _FAULTY else ()
    return Entry(verdict.word, blocks, verdict.claim.stands)


def entry_without_page(row: Row) -> Entry:
    """What the errata say where a claim's page could not be made."""
    if row.word not in _FAULTY:
        return Entry(row.word, (), row.stands)
    words = "What is wrong with it could not be written here: "
    return Entry(
        row.word,
        (
            Heading(2, title_of(f"{row.at}: {row.title}"), row.id),
            Paragraph((words, Link("why", row.id), ".")),
        ),
        row.stands,
    )


def _entry(verdict: Any) -> list[Block]:
    claim, finding = verdict.claim, verdict.finding
    place = place_of(claim.id)
    blocks: list[Block] = [
        Heading(2, title_of(joined(claim.at, claim.title, by=": ")), place),
        Paragraph(
            (f"{begins(claim.stands)} ", Link("(with its proof)", place), ": ", *typeset(claim.says))
        ),
        *(Equation(latex) for latex in claim.printed_latex()),
        Verdict(finding.verdict, typeset(finding.reason), verdict.scope),
    ]
    if finding.corrected is not None:
        blocks.append(Paragraph("We suggest:"))
        blocks += [Equation(line.latex) for line in finding.corrected.lines]
    if finding.loss is not None:
        blocks.append(Paragraph(typeset(finding.loss.words)))
    for block in counterexample(finding):
        if isinstance(block, Heading):
            blocks.append(Heading(3, block.text, f"{place}-numbers"))
        else:
            blocks.append(block)
    return blocks
