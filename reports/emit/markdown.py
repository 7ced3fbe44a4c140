"""A page as Markdown for GitHub: formulas in math fences, drawings as files beside it."""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Iterator

from reports.document import (
    Block,
    Bullets,
    Code,
    Details,
    Equation,
    EquationRef,
    Figure,
    Heading,
    Link,
    Math,
    Mono,
    Note,
    Number,
    Page,
    Paragraph,
    Span,
    Step,
    Steps,
    Strong,
    Table,
    Tally,
    Text,
    Verdict,
    VerdictWord,
    spans_of,
)
from reports.emit.site import address, figure_names
from reports.emit.words import legend

SUFFIX = ".md"
_ALERTS = {"note": "NOTE", "caution": "CAUTION", "example": "TIP"}
_SIDES = {"l": ":---", "c": ":---:", "r": "---:"}


def render(page: Page) -> str:
    """The page as Markdown.

    >>> print(render(Page("sgd", "Step * batch", (Paragraph((Math("x_1"), " < 2")),))))
    # Step \\* batch
    <BLANKLINE>
    $`x_1`$ &lt; 2
    <BLANKLINE>
    """
    return Writer(page).document()


class Writer:
    """One page being written; ``suffix`` is that of the files which links lead to."""

    suffix = SUFFIX

    def __init__(self, page: Page) -> None:
        self.page, self.numbers = page, page.numbers
        self.names = iter(figure_names(page))

    def document(self) -> str:
        """The whole file."""
        page = self.page
        trail = " › ".join(self.span(link) for link in page.trail)
        summary = f"*{self.text(page.summary)}*" if page.summary else ""
        parts = [trail, f"# {escaped(page.title)}", summary, *self.blocks(page.blocks)]
        told = f"<sub>{escaped(legend(page))}</sub>" if legend(page) else ""
        return "\n\n".join(part for part in (*parts, told) if part) + "\n"

    def blocks(self, blocks: tuple[Block, ...]) -> list[str]:
        """Several blocks, each a part between empty lines."""
        return [part for block in blocks for part in self.block(block)]

    def block(self, block: Block) -> Iterator[str]:
        """One block."""
        match block:
            case Heading(level, text, anchor):
                yield f'<a id="{anchor}"></a>\n\n{"#" * level} {escaped(text)}'
            case Paragraph(spans):
                yield self.text(spans)
            case Equation():
                yield self.equation(block)
            case Steps(steps):
                yield from (self.step(n, step) for n, step in enumerate(steps, start=1))
            case Table():
                yield self.table(block)
            case Figure():
                yield from self.figure(block)
            case Code(text, language, caption):
                if caption:
                    yield self.text(caption)
                yield fenced(text, language)
            case Verdict(_, sentence):
                yield f"> **{self.text(block.said)}** — {self.text(sentence)}"
            case Tally():
                yield self.text(block.words)
            case Bullets(items, ordered):
                marks = [f"{n}." if ordered else "-" for n in range(1, len(items) + 1)]
                yield "\n".join(f"{m} {self.text(i)}" for m, i in zip(marks, items, strict=True))
            case Details(summary, blocks):
                inside = "\n\n".join(self.blocks(blocks))
                head = f"<details>\n<summary>{escaped(summary)}</summary>"
                yield f"{head}\n\n{inside}\n\n</details>"
            case Note(kind, blocks):
                inside = "\n\n".join(self.blocks(blocks))
                yield textwrap.indent(f"[!{_ALERTS[kind]}]\n{inside}", "> ", lambda line: True)

    def equation(self, equation: Equation) -> str:
        """A formula in a fence, where Markdown leaves backslashes alone."""
        number = rf" \tag{{{self.numbers[equation.label]}}}" if equation.label else ""
        place = f'<a id="{equation.anchor}"></a>\n\n' if equation.anchor else ""
        return place + fenced(equation.latex.strip() + number, "math")

    def step(self, number: int, step: Step) -> str:
        """A step as an item of a numbered list, its formulas inside the item."""
        words = f" {self.text(step.words)}" if step.words else ""
        parts = [f"**{escaped(step.title)}.**{words}", *map(self.equation, step.equations)]
        if step.checked:
            parts.append(f"✓ {self.text(step.checked)}")
        mark = f"{number}. "
        return mark + textwrap.indent("\n\n".join(parts), " " * len(mark)).lstrip()

    def table(self, table: Table) -> str:
        """A table in pipes."""
        rows = [[self.text(cell).replace("|", r"\|") for cell in row] for row in table.rows]
        head = [self.text(cell).replace("|", r"\|") for cell in table.headers]
        lines = [head, [_SIDES[side] for side in table.alignment], *rows]
        caption = f"{self.text(table.caption)}\n\n" if table.caption else ""
        return caption + "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def figure(self, figure: Figure) -> Iterator[str]:
        """A drawing as a file beside the page, and a link to its data."""
        stem = f"{posixpath.basename(self.page.slug)}.{next(self.names)}"
        yield f"![{escaped(figure.alt)}]({stem}.svg)"
        yield f"{self.text(figure.caption)} ([data]({stem}.csv))".strip()

    def text(self, text: Text) -> str:
        """A line of spans."""
        return "".join(map(self.span, spans_of(text)))

    def span(self, span: Span) -> str:
        """One span."""
        match span:
            case str():
                return escaped(span)
            case Math(latex):
                return f"$`{latex.strip()}`$"
            case Link(text):
                return f"[{escaped(text)}]({address(span, self.page, self.suffix)})"
            case Strong(text):
                return f"**{escaped(text)}**"
            case Mono(text):
                return _ticked(text)
            case Number():
                return escaped(span.written) + span.mark
            case VerdictWord():
                return f"{span.sign} {escaped(span.said)}"
            case EquationRef(label):
                return f"[({self.numbers[label]})](#eq-{label})"


def escaped(text: str) -> str:
    r"""Text that Markdown and HTML leave as it is.

    >>> escaped("<b> a_b | `c`")
    '&lt;b&gt; a\\_b \\| \\`c\\`'
    >>> escaped("1. no list")
    '1\\. no list'
    """
    text = re.sub(r"\s*\n\s*", " ", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_\[\]$|~])", r"\\\1", text)
    text = re.sub(r"^(\s*)([#+-])(?=\s)", r"\1\\\2", text)
    return re.sub(r"^(\s*\d+)([.)])(?=\s)", r"\1\\\2", text)


def fenced(text: str, language: str) -> str:
    """Text between fences longer than any inside it."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _ticked(text: str) -> str:
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}"
