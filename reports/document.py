"""The neutral model of a page: blocks of words, formulas, derivations, tables and figures.

A page is made once, checked as it is made, and printed by every emitter in ``reports.emit``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reports.checking import check_all, check_anchor, check_choice, check_latex, check_some, check_words
from reports.spans import (
    NUMBER_KINDS,
    SIGNS,
    EquationRef,
    Link,
    Math,
    Mono,
    Number,
    Span,
    Strong,
    Text,
    VerdictWord,
    check_text,
    check_verdict,
    prose,
    spans_of,
)
from sgtheory.errors import UnusableInput

__all__ = [
    "NUMBER_KINDS",
    "SIGNS",
    "Block",
    "Bullets",
    "Code",
    "Details",
    "Equation",
    "EquationRef",
    "Figure",
    "Heading",
    "Link",
    "Math",
    "Mono",
    "Note",
    "Number",
    "Page",
    "Paragraph",
    "Span",
    "Step",
    "Steps",
    "Strong",
    "Table",
    "Text",
    "Verdict",
    "VerdictWord",
    "equations_of",
    "prose",
    "spans_in",
    "spans_of",
    "walk",
]

NOTE_KINDS = ("note", "caution", "example")
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*\Z")


@dataclass(frozen=True)
class Heading:
    """A heading; the page's title is level 1, so these begin at 2.

    >>> Heading(2, "Why it is so").anchor
    'why-it-is-so'
    """

    level: int
    text: str
    anchor: str = ""

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
    """

    svg: str
    alt: str
    caption: Text
    csv: str
    name: str = ""

    def __post_init__(self) -> None:
        from reports.drawing import check_svg

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

    def __post_init__(self) -> None:
        check_verdict(self.word)
        check_text(self.sentence, "a verdict's sentence")

    @property
    def sign(self) -> str:
        """The sign beside the word."""
        return SIGNS[self.word]


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
        _check_blocks(self.blocks)


@dataclass(frozen=True)
class Note:
    """Blocks set apart: a note, a caution or an example."""

    kind: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if self.kind not in NOTE_KINDS:
            raise UnusableInput(
                f"a kind of note ({', '.join(NOTE_KINDS)})", repr(self.kind), "choose one"
            )
        _check_blocks(self.blocks)


Block = (
    Heading | Paragraph | Equation | Steps | Table | Figure | Code | Verdict | Bullets | Details | Note
)
_BLOCKS = (Heading, Paragraph, Equation, Steps, Table, Figure, Code, Verdict, Bullets, Details, Note)


@dataclass(frozen=True)
class Page:
    """One page. ``trail`` leads to it from the index; ``summary`` says in a sentence what it is about.

    >>> Page("sgd", "Constant SGD", (Paragraph("An exact law."),)).slug
    'sgd'
    """

    slug: str
    title: str
    blocks: tuple[Block, ...]
    kind: str = "page"
    summary: str = ""
    trail: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        if not _SLUG.match(self.slug):
            raise UnusableInput(
                "a slug of letters, digits, dots, dashes and slashes", repr(self.slug), "rename the page"
            )
        check_words(self.title, "a page's title")
        if not re.fullmatch(r"[a-z][a-z-]*", self.kind):
            raise UnusableInput("a kind of page in small letters", repr(self.kind), "such as claim")
        check_text(self.summary, "a page's summary")
        check_all(self.trail, Link, "a page's trail")
        _check_blocks(self.blocks)
        _check_headings(self)
        _check_anchors(self)
        _check_references(self)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The places on the page that a link can name."""
        headings = [block.anchor for block in walk(self.blocks) if isinstance(block, Heading)]
        return (*headings, *(e.anchor for e in equations_of(self.blocks) if e.anchor))

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each labelled equation, by its label."""
        labels = [e.label for e in equations_of(self.blocks) if e.label]
        return {label: n for n, label in enumerate(labels, start=1)}


def walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """All blocks in reading order, those inside others too."""
    for block in blocks:
        yield block
        if isinstance(block, Details | Note):
            yield from walk(block.blocks)


def equations_of(blocks: tuple[Block, ...]) -> Iterator[Equation]:
    """All displayed formulas in reading order, those of derivations too."""
    for block in walk(blocks):
        if isinstance(block, Equation):
            yield block
        elif isinstance(block, Steps):
            for step in block.steps:
                yield from step.equations


def spans_in(blocks: tuple[Block, ...]) -> Iterator[Span]:
    """All spans in reading order."""
    for block in walk(blocks):
        for text in _texts(block):
            yield from spans_of(text)


def _texts(block: Block) -> Iterator[Text]:
    match block:
        case Paragraph(spans):
            yield spans
        case Steps(steps):
            for step in steps:
                yield step.words
                yield step.checked
        case Table(headers, rows, caption):
            yield caption
            yield from headers
            for row in rows:
                yield from row
        case Figure() | Code():
            yield block.caption
        case Verdict(_, sentence):
            yield sentence
        case Bullets(items):
            yield from items
        case _:
            pass


def anchor_of(text: str) -> str:
    """A place's name made from a heading.

    >>> anchor_of("How big is the difference?")
    'how-big-is-the-difference'
    """
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return name if name[:1].isalpha() else f"section-{name}".rstrip("-")


def _check_blocks(blocks: object) -> None:
    if not isinstance(blocks, tuple):
        raise UnusableInput("blocks as a tuple", type(blocks).__name__, "wrap them: (block,)")
    for block in blocks:
        if not isinstance(block, _BLOCKS):
            raise UnusableInput(
                "blocks of reports.document", repr(block)[:80], "wrap words in Paragraph"
            )


def _check_headings(page: Page) -> None:
    level = 1
    for block in walk(page.blocks):
        if isinstance(block, Heading):
            if block.level > level + 1:
                raise UnusableInput(
                    f"headings in order on page {page.slug!r}",
                    f"{block.text!r} of level {block.level} under level {level}",
                    f"make it level {level + 1}",
                )
            level = block.level


def _check_anchors(page: Page) -> None:
    seen: set[str] = set()
    for anchor in page.anchors:
        if anchor in seen:
            raise UnusableInput(
                f"anchors and labels that differ on page {page.slug!r}",
                repr(anchor),
                "rename one",
            )
        seen.add(anchor)


def _check_references(page: Page) -> None:
    for span in spans_in(page.blocks):
        if isinstance(span, EquationRef) and span.label not in page.numbers:
            raise UnusableInput(
                f"references to labelled equations of page {page.slug!r}",
                repr(span.label),
                "label the equation, or link to the page that has it",
            )
