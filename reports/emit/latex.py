"""Pages as one LaTeX document that any TeX distribution compiles."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

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
from reports.emit.texwords import escaped, verbatim, worded
from reports.emit.words import legend, words

SUFFIX = ".tex"
_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{amsmath,amssymb}
\usepackage{array,booktabs,longtable}
\usepackage[margin=28mm]{geometry}
\providecommand{\bm}{\boldsymbol}
\providecommand{\coloneqq}{\mathrel{:=}}
\allowdisplaybreaks
\setlength{\emergencystretch}{3em}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt plus 2pt}
"""
_HEADINGS = {2: "subsection", 3: "subsubsection", 4: "paragraph"}
_LONGEST_DATA = 24  # rows of a figure's data that a reader would still look through


def render(pages: Sequence[Page], title: str = "") -> str:
    r"""The pages as the sections of one document.

    >>> r"\section{Step \& batch}" in render((Page("sgd", "Step & batch", ()),))
    True
    """
    slugs = frozenset(page.slug for page in pages)
    body = "\n\n".join(_Latex(page, slugs).section() for page in pages)
    head = f"\\title{{{escaped(title)}}}\n\\author{{}}\n\\date{{}}\n" if title else ""
    opening = "\\begin{document}\n" + ("\\maketitle\n" if title else "")
    return f"{_PREAMBLE}{head}{opening}\n{body}\n\n\\end{{document}}\n"


def fragment(page: Page) -> str:
    r"""The blocks of a page, to be put into a paper that loads amsmath.

    >>> fragment(Page("sgd", "Steps", (Equation("x = 1", label="one"),)))
    '\\paragraph{Steps}\n\n\\begin{equation}\\label{eq:sgd:one}\nx = 1\n\\end{equation}'
    """
    blocks = _Latex(page, frozenset({page.slug})).blocks(page.blocks)
    return "\n\n".join((rf"\paragraph{{{worded(page.title)}}}", *blocks))


class _Latex:
    """One page being written; ``slugs`` are the pages that the document holds."""

    def __init__(self, page: Page, slugs: frozenset[str]) -> None:
        self.page, self.slugs = page, slugs

    def section(self) -> str:
        """The page as a section."""
        page = self.page
        head = rf"\section{{{worded(page.title)}}}" + "\n" + rf"\label{{page:{page.slug}}}"
        summary = rf"\emph{{{self.text(page.summary)}}}" if page.summary else ""
        told = rf"{{\small {escaped(legend(page))}\par}}" if legend(page) else ""
        return "\n\n".join(part for part in (head, summary, *self.blocks(page.blocks), told) if part)

    def blocks(self, blocks: tuple[Block, ...]) -> list[str]:
        """Several blocks."""
        return [part for block in blocks for part in self.block(block)]

    def block(self, block: Block) -> Iterator[str]:
        """One block."""
        match block:
            case Heading(level, text, anchor):
                label = rf"\label{{sec:{self.page.slug}:{anchor}}}"
                yield rf"\{_HEADINGS[level]}{{{worded(text)}}}{label}"
            case Paragraph(spans):
                yield self.text(spans)
            case Equation():
                yield self.equation(block)
            case Steps(steps):
                items = "\n".join(map(self.step, steps))
                yield f"\\begin{{enumerate}}\n{items}\n\\end{{enumerate}}"
            case Table(headers, rows, caption):
                cells = [[self.text(cell) for cell in row] for row in (headers, *rows)]
                lengths = [[len(words(cell)) for cell in row] for row in (headers, *rows)]
                yield _table(cells, lengths, block.alignment, self.text(caption))
            case Figure():
                yield self.figure(block)
            case Code(text, _, caption):
                told = f"{self.text(caption)}\n" if caption else ""
                code = f"\\begin{{verbatim}}\n{verbatim(text.rstrip())}\n\\end{{verbatim}}"
                yield f"{told}{{\\footnotesize\n{code}\n}}"
            case Verdict(_, sentence):
                said = rf"{escaped(block.said.sign)} \textbf{{{escaped(block.said.said)}}}"
                sign = rf"\fbox{{\strut {said}}}"
                yield rf"\medskip\noindent {sign}\quad {self.text(sentence)}\medskip"
            case Tally():
                yield self.text(block.words)
            case Bullets(items, ordered):
                kind = "enumerate" if ordered else "itemize"
                inside = "\n".join(rf"\item {{}}{self.text(item)}" for item in items)
                yield f"\\begin{{{kind}}}\n{inside}\n\\end{{{kind}}}"
            case Details(summary, blocks):
                yield rf"\paragraph{{{worded(summary)}}}"
                yield from self.blocks(blocks)
            case Note(kind, blocks):
                inside = "\n\n".join(self.blocks(blocks))
                yield f"\\begin{{quote}}\n\\textbf{{{kind.title()}.}} {inside}\n\\end{{quote}}"

    def equation(self, equation: Equation) -> str:
        """A displayed formula, numbered where it has a label."""
        if equation.label is None:
            return f"\\begin{{equation*}}\n{equation.latex.strip()}\n\\end{{equation*}}"
        label = rf"\label{{eq:{self.page.slug}:{equation.label}}}"
        return f"\\begin{{equation}}{label}\n{equation.latex.strip()}\n\\end{{equation}}"

    def step(self, step: Step) -> str:
        """One step of a derivation."""
        opening = rf"\item \textbf{{{worded(step.title)}.}} {self.text(step.words)}".rstrip()
        lines = [opening, *map(self.equation, step.equations)]
        if step.checked:
            lines.append(rf"{{\small {escaped('✓')} {self.text(step.checked)}\par}}")
        return "\n".join(lines)

    def figure(self, figure: Figure) -> str:
        """A drawing's data in its place, where a reader would look through them."""
        rows = [row for row in csv.reader(figure.csv.splitlines()) if row]
        caption = self.text(figure.caption) or escaped(figure.alt)
        if not rows or len(rows) > _LONGEST_DATA + 1 or any(len(row) != len(rows[0]) for row in rows):
            count = max(len(rows) - 1, 0)
            return rf"\begin{{quote}}\small {caption} (A drawing of {count} rows of data.)\end{{quote}}"
        rows = [[_rounded(cell) for cell in row] for row in rows]
        cells = [[escaped(cell) for cell in row] for row in rows]
        lengths = [[len(cell) for cell in row] for row in rows]
        return _table(cells, lengths, "l" + "r" * (len(rows[0]) - 1), caption)

    def text(self, text: Text) -> str:
        """A line of spans."""
        return "".join(map(self.span, spans_of(text)))

    def span(self, span: Span) -> str:
        """One span."""
        match span:
            case str():
                return worded(span)
            case Math(latex):
                return rf"\({latex.strip()}\)"
            case Link(text):
                return self.link(span, worded(text))
            case Strong(text):
                return rf"\textbf{{{worded(text)}}}"
            case Mono(text):
                return rf"\texttt{{{escaped(text)}}}"
            case Number():
                mark = rf"\textsuperscript{{{escaped(span.mark)}}}" if span.mark else ""
                return _powers(escaped(span.written)) + mark
            case VerdictWord():
                return rf"{escaped(span.sign)}~{escaped(span.said)}"
            case EquationRef(label):
                return rf"\eqref{{eq:{self.page.slug}:{label}}}"

    def link(self, link: Link, text: str) -> str:
        """The words of a link, with where it leads when that is not this page."""
        if link.outside:
            return rf"{text} (\texttt{{{_breakable(link.href)}}})"
        slug, _ = link.target
        if slug in ("", self.page.slug) or slug not in self.slugs:
            return text
        return rf"{text} (Section~\ref{{page:{slug}}})"


def _table(cells: list[list[str]], lengths: list[list[int]], sides: str, caption: str) -> str:
    """Booktabs rules and columns that break lines where the longest lines would not fit."""
    columns = "".join(_columns([max(column) for column in zip(*lengths, strict=True)], sides))
    head, *rows = [_row(row) for row in cells]
    told = f"{{\\small {caption}\\par\\nobreak}}\n" if caption else ""
    inside = "\n".join((r"\toprule", head, r"\midrule", r"\endhead", *rows, r"\bottomrule"))
    table = f"\\begin{{longtable}}{{@{{}}{columns}@{{}}}}\n{inside}\n\\end{{longtable}}"
    return f"{told}{{\\small\n{table}}}"


def _rounded(cell: str) -> str:
    """A number of a figure's data, short enough to read; the data file has it whole."""
    try:
        return f"{float(cell):.6g}" if len(cell) > 8 else cell
    except ValueError:
        return cell


def _row(cells: list[str]) -> str:
    # A bracket or a star after the end of the row above would be read as part of that end.
    first = "{}" if cells[0][:1] in ("[", "*") else ""
    return first + " & ".join(cells) + r" \\"


def _columns(longest: list[int], sides: str) -> Iterator[str]:
    room = 86.0 - 3 * len(longest)  # letters of the small size on a line
    if sum(longest) <= room:
        yield from sides
        return
    short = [length for length in longest if length <= room / len(longest)]
    share = (room - sum(short)) / (len(longest) - len(short))
    for length, side in zip(longest, sides, strict=True):
        width = min(share, length) / 88
        yield side if length <= room / len(longest) else _broken(width)


def _broken(width: float) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}"


def _breakable(address: str) -> str:
    return re.sub(r"([/.?=])", r"\1\\allowbreak ", escaped(address))


def _powers(number: str) -> str:
    """Powers of ten as people write them."""
    return re.sub(r"(?<=\d)e\+?(-?)0*(\d+)", r"\\(\\cdot 10^{\1\2}\\)", number)
