"""What does not hold as it stands, by consequence: the faults of a paper, the gravest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reports.document import Block, Details, Heading, Link, Paragraph, Span, Table, Text
from reports.pages.row import Row
from reports.pages.words import title_of, typeset
from sgtheory.notation.sentence import joined
from verification.consequence.kinds import KINDS, Consequence
from verification.consequence.ranking import Fault, Item, ranked

MOST = 10  # faults that head a page
_FEW = 6  # rows of a table that is not folded, and entries that are named as falling together
WORDS = {
    "substance": "a result fails",
    "condition": "a condition is missing",
    "limit": "right in a limit only",
    "slip": "a slip of the pen",
}
_LONG = {
    "substance": "Results that fail",
    "condition": "Conditions that are missing",
    "limit": "Right in a limit only",
    "slip": "Slips of the pen",
}
MEANT = (
    "Kinds stand in this order: a result fails; a condition is missing; it is right in a limit only; a"
    " slip, which factors, signs, indices or one term mend. Within a kind what weighs most stands first:"
    " entries that share one fault are one line, and each that the source itself states counts with the"
    " share of it that is wrong, at most all of it. Sizes are taken at N = 1,024, S = 16 and the"
    " largest of a few usual steps at which the algorithm settles, or else at the smallest numbers that"
    " show it; each is worked out exactly and again by a script."
)

Place = Callable[[Row], Link]


def to_claim(row: Row) -> Link:
    """To a claim's page, by its place; what is commonly said has none, and is called by its title."""
    return Link(title_of(row.title if row.stands == "common" else row.at), row.href)


def linked(row: Row, place: Place = to_claim) -> tuple[Text, Text]:
    """Where a claim stands and what it says, of which one is the way to it."""
    way = place(row)
    return (title_of(row.at), way) if row.stands == "common" else (way, typeset(row.title))


def faults_of(rows: Sequence[Row]) -> tuple[Fault, ...]:
    """The faults of some claims, the most consequential first."""
    items = (
        Item(row.id, row.prominence, row.stands, row.consequence)
        for row in rows
        if row.consequence is not None and row.consequence.kind in KINDS
    )
    return ranked(tuple(items))


def heaviest(rows: Sequence[Row]) -> tuple[Fault, ...]:
    """Those that head a page: what the source itself states, and not only we conclude."""
    return tuple(fault for fault in faults_of(rows) if fault.weight)[:MOST]


def matters(rows: Sequence[Row], level: int = 2, place: Place = to_claim) -> list[Block]:
    """The heaviest faults in a table, with how far off one is."""
    first = heaviest(rows)
    if not first:
        return []
    many = "What matters most" if len(first) > 1 else "What matters"
    return [Heading(level, many, "what-matters"), _table(first, rows, place)]


def the_rest(rows: Sequence[Row]) -> list[Block]:
    """All other faults in tables, a kind each; then those of our own consequences."""
    first = heaviest(rows)
    rest = [fault for fault in faults_of(rows) if fault not in first]
    stated, ours = ([f for f in rest if bool(f.weight) is told] for told in (True, False))
    groups = [(_LONG[kind], [f for f in stated if f.kind == kind]) for kind in KINDS]
    groups.append(("What we conclude, and is not printed", ours))
    blocks: list[Block] = []
    for title, faults in groups:
        if faults:
            table = _table(faults, rows, to_claim)
            folded = Details(f"All {len(faults)} of them", (table,)) if len(faults) > _FEW else table
            blocks += [Heading(2, title), folded]
    return blocks


def counted(rows: Sequence[Row]) -> str:
    """How many entries are of each kind, in a sentence."""
    kinds = Counter(row.consequence.kind for row in rows if row.consequence is not None)
    told = {
        "substance": ("fails", "fail"),
        "condition": ("needs a condition that is not stated", "need a condition that is not stated"),
        "limit": ("is right in a limit only", "are right in a limit only"),
        "slip": ("is a slip of the pen", "are slips of the pen"),
    }
    return ", ".join(f"{kinds[k]} {told[k][kinds[k] > 1]}" for k in KINDS if kinds[k])


def _table(faults: Sequence[Fault], rows: Sequence[Row], place: Place) -> Table:
    known = {row.id: row for row in rows}
    lines = tuple(_line(fault, known[fault.first.id], known, place) for fault in faults)
    return Table(("where", "what is stated", "what is wrong", "how far off", "falls with it"), lines,
                 align="lllll")  # fmt: skip


def _line(fault: Fault, row: Row, known: dict[str, Row], place: Place) -> tuple[Text, ...]:
    wrong: Text = called(fault.kind, row.stands)
    found = row.consequence
    size = found.size.words if found is not None and found.size is not None else ""
    told: Text = typeset(joined(found.change if found is not None else "", size)) or "–"
    others = [known[one.id] for one in fault.items[1:]]
    return (*linked(row, place), wrong, told, tuple(_others(others)) or "–")


def _others(others: Sequence[Row]) -> Iterator[Span]:
    for k, row in enumerate(others[:_FEW]):
        if k:
            yield "; "
        yield to_claim(row)
    if len(others) > _FEW:
        yield f"; {len(others) - _FEW} more"


def how_far(verdict: Any) -> list[Block]:
    """What is wrong with a claim and how far off one is; what its recipe loses, where that is known."""
    loss, found = verdict.finding.loss, verdict.consequence
    size = found.size.words if found is not None and found.size is not None else ""
    more = [Paragraph(typeset(loss.words))] if loss is not None and str(loss.words) != size else []
    return [*wrong_with(found, verdict.claim.stands), *more]


def called(kind: str, stands: str) -> str:
    """What is wrong in a few words: of what we conclude no result of the source fails."""
    return "it does not hold" if (kind, stands) == ("substance", "derived") else WORDS[kind]


def wrong_with(found: Consequence | None, stands: str) -> list[Block]:
    """What is wrong, and how far off one is, in a paragraph."""
    if found is None or found.kind not in KINDS:
        return []
    size = found.size.words if found.size is not None else ""
    words = joined(found.change, size)
    told = (": ", *typeset(words)) if words else (".",)
    wrong = called(found.kind, stands)
    return [Paragraph((f"{wrong[0].upper()}{wrong[1:]}", *told))]


def meant() -> Paragraph:
    """How the order is made."""
    return Paragraph(MEANT)
