"""A page, or a derivation, as plain text for a terminal."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator

from reports.document import (
    Block,
    Bullets,
    Code,
    Details,
    Equation,
    Figure,
    Heading,
    Note,
    Page,
    Paragraph,
    Steps,
    Table,
    Tally,
    Verdict,
)
from reports.emit.words import legend, words
from reports.math.plain import plain

_UNDER = {2: "-", 3: "·", 4: ""}


def render(page: Page, width: int = 88) -> str:
    """The page as text.

    >>> print(render(Page("sgd", "Constant SGD", (Paragraph("An exact law."),))))
    Constant SGD
    ============
    <BLANKLINE>
    An exact law.
    <BLANKLINE>
    """
    parts = [_underlined(page.title, "=")]
    if page.summary:
        parts.append(_filled(words(page.summary), width))
    parts += _blocks(page.blocks, width, page.numbers)
    if legend(page):
        parts.append(_filled(legend(page), width))
    return "\n\n".join(parts) + "\n"


def render_steps(steps: Steps, width: int = 88) -> str:
    """A derivation alone.

    >>> from reports.document import Step
    >>> print(render_steps(Steps((Step("Square", "Take the square.", (Equation("x^2 = 4"),)),))))
    1. Square
       Take the square.
           x² = 4
    """
    return "\n\n".join(_steps(steps, width, {}))


def _blocks(blocks: tuple[Block, ...], width: int, numbers: dict[str, int]) -> Iterator[str]:
    for block in blocks:
        yield from _block(block, width, numbers)


def _block(block: Block, width: int, numbers: dict[str, int]) -> Iterator[str]:
    match block:
        case Heading(level, text):
            yield _underlined(text, _UNDER[level])
        case Paragraph(spans):
            yield _filled(words(spans, numbers), width)
        case Equation():
            yield f"    {_equation(block, numbers)}"
        case Steps():
            yield from _steps(block, width, numbers)
        case Table():
            yield _table(block, width, numbers)
        case Figure(_, alt, caption):
            yield _filled(f"[Figure: {words(caption, numbers) or alt}]", width)
        case Code(text, _, caption):
            told = [_filled(words(caption, numbers), width)] if caption else []
            yield "\n".join([*told, textwrap.indent(text.rstrip("\n"), "    ")])
        case Verdict(_, sentence):
            opening = f"{words(block.said)}  "
            yield _filled(opening + words(sentence, numbers), width, hang=len(opening))
        case Tally():
            yield _filled(words(block.words), width)
        case Bullets(items, ordered):
            marks = [f"{n}. " if ordered else "- " for n in range(1, len(items) + 1)]
            yield "\n".join(
                _filled(mark + words(item, numbers), width, hang=len(mark))
                for mark, item in zip(marks, items, strict=True)
            )
        case Details(summary, blocks):
            yield summary
            yield from (textwrap.indent(part, "  ") for part in _blocks(blocks, width - 2, numbers))
        case Note(kind, blocks):
            inside = "\n\n".join(_blocks(blocks, width - 2, numbers))
            yield textwrap.indent(f"{kind.title()}\n{inside}", "| ", lambda line: True)


def _steps(steps: Steps, width: int, numbers: dict[str, int]) -> Iterator[str]:
    for place, step in enumerate(steps.steps, start=1):
        lines = [f"{place}. {step.title}"]
        if step.words:
            lines.append(textwrap.indent(_filled(words(step.words, numbers), width - 3), "   "))
        lines += [f"       {_equation(equation, numbers)}" for equation in step.equations]
        if step.checked:
            told = _filled(f"✓ {words(step.checked, numbers)}", width - 3, hang=2)
            lines.append(textwrap.indent(told, "   "))
        yield "\n".join(lines)


def _equation(equation: Equation, numbers: dict[str, int]) -> str:
    written = equation.text or plain(equation.latex)
    return f"{written}    ({numbers[equation.label]})" if equation.label in numbers else written


def _table(table: Table, width: int, numbers: dict[str, int]) -> str:
    rows = [[words(cell, numbers) for cell in row] for row in (table.headers, *table.rows)]
    wide = _widths(rows, width)
    lines = [part for row in rows for part in _row(row, wide, table.alignment)]
    head = len(list(_row(rows[0], wide, table.alignment)))
    lines.insert(head, "  ".join("─" * w for w in wide))
    caption = [_filled(words(table.caption, numbers), width)] if table.caption else []
    return "\n".join([*caption, *lines])


def _widths(rows: list[list[str]], width: int) -> list[int]:
    """Each column as wide as its longest cell; where that is too much, the widest gives way."""
    wide = [max(map(_long, column)) for column in zip(*rows, strict=True)]
    while sum(wide) + 2 * (len(wide) - 1) > width and max(wide) > 12:
        wide[wide.index(max(wide))] -= 1
    return wide


def _row(row: list[str], wide: list[int], sides: str) -> Iterator[str]:
    cells = [textwrap.wrap(cell, w) or [""] for cell, w in zip(row, wide, strict=True)]
    for k in range(max(map(len, cells))):
        parts = [cell[k] if k < len(cell) else "" for cell in cells]
        placed = [_placed(p, w, side) for p, w, side in zip(parts, wide, sides, strict=True)]
        yield "  ".join(placed).rstrip()


def _placed(part: str, width: int, side: str) -> str:
    space = " " * max(width - _long(part), 0)
    if side == "c":
        return space[: len(space) // 2] + part + space[len(space) // 2 :]
    return space + part if side == "r" else part + space


def _long(text: str) -> int:
    """How many places a text takes on a terminal: accents take none."""
    return sum(not unicodedata.combining(c) for c in text)


def _filled(text: str, width: int, hang: int = 0) -> str:
    return textwrap.fill(text, width, subsequent_indent=" " * hang, break_long_words=False)


def _underlined(title: str, mark: str) -> str:
    return f"{title}\n{mark * _long(title)}".rstrip()
