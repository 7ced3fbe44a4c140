"""The blocks of a page: headings, words, formulas, derivations, tables, figures, code and verdicts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import get_args

from reports.checking import check_all, check_anchor, check_choice, check_latex, check_some, check_words
from reports.drawing import check_svg
from reports.live import Live
from reports.spans import Number, Text, VerdictWord, check_text, spans_of
from sgtheory.errors import UnusableInput

NOTE_KINDS = ("note", "caution", "example")


@dataclass(frozen=True)
class Heading:
    """A heading; the page's title is level 1, so these begin at 2. One that is ``typed`` is a name.

    >>> Heading(2, "Why it is so").anchor
    'why-it-is-so'
    """

    level: int
    text: str
    anchor: str = ""
    typed: bool = False

    def __post_init__(self) -> None:
        check_words(self.text, "a heading")
        if self.level not in (2, 3, 4):
            raise UnusableInput("a heading of level 2, 3 or 4", str(self.level), "the title is level 1")
        if not self.anchor:
            object.__setattr__(self, "anchor", anchor_of(self.text))
        check_anchor(self.anchor)


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    spans: Text

    def __post_init__(self) -> None:
        check_text(self.spans, "a paragraph")


@dataclass(frozen=True)
class Equation:
    """A displayed formula. A label gives it a number and makes it a place that links can reach.

    ``text`` is its form for terminals and ``alt`` its description in words; both may be left out.
    """

    latex: str
    label: str | None = None
    text: str | None = None
    alt: str | None = None

    def __post_init__(self) -> None:
        check_latex(self.latex)
        if self.label is not None:
            check_anchor(self.label)

    @property
    def anchor(self) -> str | None:
        """Where links find the equation."""
        return None if self.label is None else f"eq-{self.label}"


@dataclass(frozen=True)
class Step:
    """One step of a derivation: what is done, what comes out, and how that was checked."""

    title: str
    words: Text = ""
    equations: tuple[Equation, ...] = ()
    checked: Text = ""

    def __post_init__(self) -> None:
        check_words(self.title, "a step's title")
        check_text(self.words, "a step's words")
        check_text(self.checked, "a step's check")
        check_all(self.equations, Equation, "a step's equations")


@dataclass(frozen=True)
class Steps:
    """A derivation in numbered steps."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        check_all(self.steps, Step, "a derivation's steps")
        check_some(self.steps, "a derivation")


@dataclass(frozen=True)
class Table:
    """Rows of cells under headers. ``align`` is a letter (l, c or r) a column; found out when empty.

    >>> Table(("step", "bias"), (("1/10", Number("1/19")), ("1/5", Number("1/9")))).alignment
    'lr'
    """

    headers: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: Text = ""
    align: str = ""
    row_headers: bool = True  # the first cell of a row names it
    search: str = ""  # what the rows are, where a reader may look through them: such as "the claims"

    def __post_init__(self) -> None:
        check_some(self.headers, "a table's headers")
        check_text(self.caption, "a table's caption")
        for header in self.headers:
            check_text(header, "a table's header")
        for row in self.rows:
            if not isinstance(row, tuple) or len(row) != len(self.headers):
                expected = f"rows of {len(self.headers)} cells, as tuples"
                raise UnusableInput(expected, repr(row)[:80], "give each column a cell")
            for cell in row:
                check_text(cell, "a table's cell")
        if self.align and not re.fullmatch(f"[lcr]{{{len(self.headers)}}}", self.align):
            raise UnusableInput(
                "a letter l, c or r for each column", repr(self.align), "or leave it empty"
            )

    @property
    def alignment(self) -> str:
        """A letter for each column: numbers to the right, all else to the left."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.headers)
        return self.align or "".join("r" if _numeric(column) else "l" for column in columns)


def _numeric(column: tuple[Text, ...]) -> bool:
    parts = [part for cell in column for part in spans_of(cell) if part != ""]
    return bool(parts) and all(isinstance(part, Number) for part in parts)


@dataclass(frozen=True)
class Figure:
    """A drawing with its description in words and its data.

    ``name`` is the stem of the files in which the drawing and its data are kept; it is made when empty.
    Where scripts run, what is ``live`` stands under it.
    """

    svg: str
    alt: str
    caption: Text
    csv: str
    name: str = ""
    live: Live | None = None

    def __post_init__(self) -> None:
        check_words(self.alt, "a figure's description for those who cannot see it")
        check_text(self.caption, "a figure's caption")
        check_words(self.csv, "a figure's data")
        check_svg(self.svg)
        if self.name:
            check_anchor(self.name)


@dataclass(frozen=True)
class Code:
    """Something to copy and run, or what it printed."""

    text: str
    language: str = ""
    caption: Text = ""

    def __post_init__(self) -> None:
        check_words(self.text, "code")
        check_text(self.caption, "code's caption")
        if not re.fullmatch(r"[a-z0-9+-]*", self.language):
            raise UnusableInput(
                "a language's name in small letters", repr(self.language), "such as python"
            )


@dataclass(frozen=True)
class Verdict:
    """The verdict and what it says, in one sentence."""

    word: str
    sentence: Text
    scope: str = ""

    def __post_init__(self) -> None:
        check_text(self.sentence, "a verdict's sentence")
        _ = self.said

    @property
    def said(self) -> VerdictWord:
        """The word with its sign and scope."""
        return VerdictWord(self.word, self.scope)


@dataclass(frozen=True)
class Tally:
    """How many there are of each verdict, as a bar and in words.

    >>> Tally(((VerdictWord("proved"), 3), (VerdictWord("refuted"), 1))).total
    4
    """

    counts: tuple[tuple[VerdictWord, int], ...]

    def __post_init__(self) -> None:
        check_some(self.counts, "a tally")
        for word, count in self.counts:
            if count < 1:
                raise UnusableInput(
                    "how many there are, from 1 on", f"{count} of {word.said}", "leave it out"
                )

    @property
    def total(self) -> int:
        """How many there are of all."""
        return sum(count for _, count in self.counts)

    @property
    def words(self) -> Text:
        """The counts in a line."""
        parts = [(f"{count} ", word, ", ") for word, count in self.counts]
        return tuple(span for part in parts for span in part)[:-1]


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[Text, ...]
    ordered: bool = False

    def __post_init__(self) -> None:
        check_some(self.items, "a list")
        for item in self.items:
            check_text(item, "a list's item")


@dataclass(frozen=True)
class Details:
    """Blocks that a reader may open."""

    summary: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        check_words(self.summary, "a summary")
        check_blocks(self.blocks)


@dataclass(frozen=True)
class Note:
    """Blocks set apart: a note, a caution or an example."""

    kind: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        check_choice(self.kind, NOTE_KINDS, "a kind of note")
        check_blocks(self.blocks)


Block = (
    Heading
    | Paragraph
    | Equation
    | Steps
    | Table
    | Figure
    | Code
    | Verdict
    | Tally
    | Bullets
    | Details
    | Note
)
_BLOCKS = get_args(Block)


def anchor_of(text: str) -> str:
    """A place's name made from a heading.

    >>> anchor_of("How big is the difference?")
    'how-big-is-the-difference'
    """
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return name if name[:1].isalpha() else f"section-{name}".rstrip("-")


def check_blocks(blocks: object) -> None:
    """Raise where something on a page is no block."""
    if not isinstance(blocks, tuple):
        raise UnusableInput("blocks as a tuple", type(blocks).__name__, "wrap them: (block,)")
    for block in blocks:
        if not isinstance(block, _BLOCKS):
            raise UnusableInput(
                "blocks of reports.document", repr(block)[:80], "wrap words in Paragraph"
            )
