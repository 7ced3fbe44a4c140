"""Errata: what does not hold, with corrections and counterexamples, courteously."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reports.document import (
    Block,
    Details,
    Equation,
    Heading,
    Link,
    Page,
    Paragraph,
    Verdict,
    place_of,
)
from reports.pages.consequences import (
    MOST,
    counted,
    heaviest,
    how_far,
    matters,
    meant,
    the_rest,
    to_claim,
)
from reports.pages.numbers import counterexample
from reports.pages.paper import citation, short
from reports.pages.row import Row
from reports.pages.words import begins, title_of, typeset
from sgtheory.notation.sentence import joined, opening
from verification.library import Paper
from verification.statements.entry import STANDS
from verification.verdicts.wording import PART


@dataclass(frozen=True)
class Entry:
    """A claim as tables show it, and what the errata say of it; nothing where it holds."""

    row: Row
    blocks: tuple[Block, ...]


_HOLD = ("proved", "confirmed")


def errata_page(about: Paper, entries: Sequence[Entry]) -> Page:
    """What does not hold as a paper has it: what matters, tables of the rest, then the entries."""
    key, rows = about.key, [entry.row for entry in entries]
    faulty = [entry for entry in entries if entry.blocks]
    scopes = [row.scope for row in rows if row.word in _HOLD]
    hold, partly = len(scopes), sum(map(bool, scopes))
    rest = len(rows) - hold - len(faulty)
    part = f" ({partly} of them {PART}, which is of less than is said)" if partly else ""
    words = "fix notation, are no mathematics or a matter of degree, or were not decided"
    more = f" The other {rest} {words}." if rest else ""
    first = [fault.first.id for fault in heaviest(rows)]
    known = {entry.row.id: entry for entry in faulty}
    shown = faulty if len(faulty) <= MOST else [known[name] for name in first]
    blocks: list[Block] = [
        Paragraph(
            f"{citation(about)} Of {len(rows)} claims that were examined {hold} hold as they stand"
            f"{part}, and {len(faulty)} need{'s' * (len(faulty) == 1)} a correction or a condition."
            f"{more} Each was found by machine."
        ),
        *_summary(faulty),
        *matters(rows, place=_to_entry),
        *the_rest(rows),
        *_one_by_one(shown, len(faulty)),
    ]
    return Page(
        slug=f"errata-{key}",
        title=f"Notes on: {about.title}",
        blocks=tuple(blocks),
        kind="errata",
        summary=f"Corrections to {about.title}.",
        trail=(Link("All papers", "index"), Link(short(about), f"paper-{key}")),
    )


def _to_entry(row: Row) -> Link:
    return replace(to_claim(row), href=f"#{row.id}")


def _one_by_one(shown: Sequence[Entry], faulty: int) -> list[Block]:
    """Entries with their corrections and numbers, those that matter most where they are many."""
    if not shown:
        return []
    few = len(shown) < faulty
    title = "What matters most, one by one" if few else "One by one"
    told = "What the tables name has its correction and its numbers on its own page." if few else ""
    more = [Paragraph(told)] if told else []
    return [Heading(2, title), *more, *(block for entry in shown for block in entry.blocks)]


def _summary(faulty: Sequence[Entry]) -> list[Block]:
    """What follows, counted, before it, and how it is put in order."""
    rows = [entry.row for entry in faulty]
    told = counted(rows)
    if not told:
        return []
    exact = " Counterexamples written as whole numbers and fractions are exact."
    short = Paragraph(f"In short: {told}.{_stand(rows)}{exact}")
    return [short, Details("How they are put in order", (meant(),))]


def _stand(faulty: Sequence[Row]) -> str:
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
    """What the errata say of one claim."""
    row = Row.of_verdict(verdict)
    return Entry(row, tuple(_entry(verdict)) if row.is_faulty else ())


def entry_without_page(row: Row) -> Entry:
    """What the errata say where a claim's page could not be made."""
    if not row.is_faulty:
        return Entry(row, ())
    title = title_of(f"{row.at}: {row.title}")
    words = "What is wrong with it could not be written here: "
    return Entry(row, (Heading(3, title, row.id), Paragraph((words, Link("why", row.id), "."))))


def _entry(verdict: Any) -> list[Block]:
    claim, finding = verdict.claim, verdict.finding
    place = place_of(claim.id)
    blocks: list[Block] = [
        Heading(3, title_of(opening(joined(claim.at, claim.title, by=": "))), place),
        Paragraph((f"{begins(claim.stands)} ", Link("(its page)", place), ": ", *typeset(claim.says))),
        *(Equation(latex) for latex in claim.printed_latex()),
        Verdict(finding.verdict, typeset(finding.reason), verdict.scope),
    ]
    blocks += how_far(verdict)
    if finding.corrected is not None:
        blocks.append(Paragraph("We suggest:"))
        blocks += [Equation(line.latex) for line in finding.corrected.lines]
    for block in counterexample(finding):
        if isinstance(block, Heading):
            blocks.append(Heading(4, block.text, f"{place}-numbers"))
        else:
            blocks.append(block)
    return blocks
