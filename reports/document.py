"""The neutral model of a page, and everything a page is made of.

A page is made once, checked as it is made, and printed by every emitter in ``reports.emit``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from reports.blocks import (
    Block,
    Bullets,
    Code,
    Details,
    Equation,
    Figure,
    Heading,
    Note,
    Paragraph,
    Step,
    Steps,
    Table,
    Tally,
    Verdict,
    check_blocks,
)
from reports.checking import check_all, check_words
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
    prose,
    spans_of,
)
from sgtheory.errors import UnusableInput

FAILED = "failed"  # the kind of page that says that another could not be made

__all__ = [
    "FAILED",
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
    "Tally",
    "Text",
    "Verdict",
    "VerdictWord",
    "equations_of",
    "place_of",
    "prose",
    "relinked",
    "spans_in",
    "spans_of",
    "walk",
]

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*\Z")


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
    summary: Text = ""
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
        check_blocks(self.blocks)
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


def place_of(name: str) -> str:
    """A name from elsewhere, such as that of a file, as a slug and an anchor; most stay as they are.

    >>> place_of("mandt2017.eq13"), place_of("my paper.eq1"), place_of("2016.eq1")
    ('mandt2017.eq13', 'my-paper.eq1', 'of-2016.eq1')
    """
    written = re.sub(r"[^A-Za-z0-9._-]", "-", name)
    return written if written[:1].isalpha() else f"of-{written}"


def relinked(page: Page, arrives: Callable[[Link], bool], mark: str = "") -> Page:
    """The page with links that do not arrive as their words alone, and a mark behind them.

    >>> page = Page("a", "A", (Paragraph(("See ", Link("that", "b"))),))
    >>> relinked(page, lambda link: False, " (soon)").blocks
    (Paragraph(spans=('See ', 'that (soon)')),)
    """

    def change(thing: Any) -> Any:
        if isinstance(thing, Link):
            return thing if arrives(thing) else f"{thing.text}{mark}"
        if isinstance(thing, tuple):
            changed = tuple(map(change, thing))
            same = all(a is b for a, b in zip(thing, changed, strict=True))
            return thing if same else changed
        if not is_dataclass(thing) or isinstance(thing, type):
            return thing
        parts = {f.name: getattr(thing, f.name) for f in fields(thing)}
        others = {name: new for name, old in parts.items() if (new := change(old)) is not old}
        return replace(thing, **others) if others else thing

    trail = tuple(link for link in page.trail if arrives(link))
    return replace(page, blocks=change(page.blocks), summary=change(page.summary), trail=trail)


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
        case Tally():
            yield block.words
        case _:
            pass


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
