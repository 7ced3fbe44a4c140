"""A page as a Jupyter notebook: its Python runs, all else is Markdown. Written by us, nothing needed."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from html import escape
from typing import Any

from reports.document import Block, Code, Details, Equation, Figure, Math, Page, Span
from reports.emit.markdown import Writer, escaped

SUFFIX = ".ipynb"


def render(page: Page) -> str:
    """The page as a notebook, format 4.5, without results: running it makes them.

    >>> notebook = json.loads(render(Page("p", "P", (Code("print(1)", "python"),))))
    >>> [cell["cell_type"] for cell in notebook["cells"]]
    ['markdown', 'code']
    """
    cells = [_cell(n, kind, text) for n, (kind, text) in enumerate(_parts(page), start=1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    lines = text.rstrip("\n").splitlines(keepends=True)
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell


def _parts(page: Page) -> Iterator[tuple[str, str]]:
    """Cells as kind and text; neighbouring Markdown is one cell."""
    writer = _Notebook(page)
    trail = " › ".join(writer.span(link) for link in page.trail)
    waiting = [part for part in (trail, f"# {escaped(page.title)}", writer.text(page.summary)) if part]
    for kind, text in writer.cells(page.blocks):
        if kind == "markdown":
            waiting.append(text)
            continue
        if waiting:
            yield "markdown", "\n\n".join(waiting)
        waiting = []
        yield kind, text
    if waiting:
        yield "markdown", "\n\n".join(waiting)


class _Notebook(Writer):
    """Markdown as Jupyter reads it: formulas between dollars, drawings inside."""

    suffix = SUFFIX

    def cells(self, blocks: tuple[Block, ...]) -> Iterator[tuple[str, str]]:
        """Python to run, and all else; what is folded elsewhere stands open here."""
        for block in blocks:
            match block:
                case Code(text, "python"):
                    yield "code", text
                case Details(summary, inside):
                    yield "markdown", f"**{escaped(summary)}**"
                    yield from self.cells(inside)
                case _:
                    yield from (("markdown", part) for part in self.block(block))

    def equation(self, equation: Equation) -> str:
        """A displayed formula between double dollars."""
        number = rf" \tag{{{self.numbers[equation.label]}}}" if equation.label else ""
        place = f'<a id="{equation.anchor}"></a>\n\n' if equation.anchor else ""
        return f"{place}$$\n{equation.latex.strip()}{number}\n$$"

    def span(self, span: Span) -> str:
        """One span; a formula between dollars."""
        return f"${span.latex.strip()}$" if isinstance(span, Math) else super().span(span)

    def figure(self, figure: Figure) -> Iterator[str]:
        """The drawing itself, and what it shows."""
        next(self.names)
        data = base64.b64encode(figure.svg.encode()).decode("ascii")
        yield f'<img alt="{escape(figure.alt)}" src="data:image/svg+xml;base64,{data}">'
        yield self.text(figure.caption) or figure.alt
