"""A page as one HTML file, complete without scripts and network; for screen, phone and print."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from html import escape
from json import dumps

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
from reports.drawing import inline_svg
from reports.emit.frame import framed
from reports.emit.site import Site, address, figure_names
from reports.emit.words import words
from reports.math.mathml import mathml
from reports.math.plain import plain
from reports.plotting import LETTERS

SUFFIX = ".html"
_DATA = 6000  # letters of data that stand on a page which is sent alone
_COLUMNS = 400  # and on one that has the file beside it
_NARROW = 11 / LETTERS  # pixels for a point: letters of drawings are never smaller than 11 pixels
_LONG = 120  # letters of LaTeX from which on a formula is not printed twice
_SHORT = 22  # letters up to which the name of a row stays on one line
_SENTENCE = 60  # letters from which on a cell is a sentence
_NAME = 32  # letters from which on the name of a row leaves no room for three cells on a phone
_LINE = 40  # letters that one line of a phone holds
_WIDE = 36  # letters from which on a formula in a sentence may be wider than a phone
_SIDES = {"l": "", "c": ' class="middle"', "r": ' class="right"'}


def render(page: Page, site: Site | None = None) -> str:
    """The page as HTML.

    >>> "<h1>Rates &amp; steps</h1>" in render(Page("rates", "Rates & steps", ()))
    True
    """
    return _Html(page, site or Site()).document()


class _Html:
    """One page being written: blocks need the numbers of its equations and the names of its figures."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page, self.site = page, site
        self.numbers = page.numbers
        self.names = iter(figure_names(page))
        self.drawn: set[str] = set()  # the outlines of letters that drawings share
        self.shown: dict[Step | str, str] = {}  # steps and long formulas that stand already, and where

    def document(self) -> str:
        """The whole file."""
        return framed(self.page, self.site, self.blocks(self.page.blocks), self.text)

    def blocks(self, blocks: tuple[Block, ...]) -> str:
        """Several blocks."""
        return "".join(self.block(block) for block in blocks)

    def block(self, block: Block) -> str:
        """One block."""
        match block:
            case Heading(level, text, anchor, typed):
                link = f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>'
                return f'<h{level} id="{anchor}">{_named(text, typed)}{link}</h{level}>\n'
            case Paragraph(spans):
                return f"<p>{self.text(spans)}</p>\n"
            case Equation():
                return self.equation(block)
            case Steps(steps):
                return f'<ol class="steps">\n{"".join(map(self.step, steps))}</ol>\n'
            case Table():
                return self.table(block)
            case Figure():
                return self.figure(block)
            case Code(text, language, caption):
                kind = f' class="language-{language}"' if language else ""
                told = f"<figcaption>{self.text(caption)}</figcaption>" if caption else ""
                return (
                    f'<figure class="code">{told}<pre><code{kind}>{escape(text)}</code></pre></figure>\n'
                )
            case Verdict(word, sentence):
                said = f"{_sign(block.said.sign)} {escape(block.said.said)}"
                told = f"{said}</span> <span>{self.text(sentence)}</span>"
                return f'<p class="verdict {_class(word)}"><span class="word">{told}</p>\n'
            case Tally(counts):
                return self.tally(counts)
            case Bullets(items, ordered):
                tag = "ol" if ordered else "ul"
                inside = "".join(f"<li>{self.text(item)}</li>\n" for item in items)
                return f"<{tag}>\n{inside}</{tag}>\n"
            case Details(summary, blocks):
                inside = self.blocks(blocks)
                return f"<details><summary>{escape(summary)}</summary>\n{inside}</details>\n"
            case Note(kind, blocks):
                label = f'<p class="label">{kind.title()}</p>\n'
                return f'<aside class="note {kind}">\n{label}{self.blocks(blocks)}</aside>\n'

    def equation(self, equation: Equation) -> str:
        """A displayed formula that scrolls by itself, with its LaTeX to copy; a long one stands once."""
        if equation.latex in self.shown and not equation.label:
            return f'<p>Again <a href="#{self.shown[equation.latex]}">the formula above</a>.</p>\n'
        anchor = equation.anchor
        if len(equation.latex) > _LONG:
            anchor = anchor or f"formula-{len(self.shown) + 1}"
            self.shown[equation.latex] = anchor
        place = f' id="{anchor}"' if anchor else ""
        alt = f' aria-label="{escape(equation.alt)}"' if equation.alt else ""
        number = f'<span class="eqno">({self.numbers[equation.label]})</span>' if equation.label else ""
        formula = f'<div class="formula">{mathml(equation.latex, display=True)}</div>'
        line = f'<div class="line">{formula}{number}</div>' if number or place else formula
        return (
            f'<figure class="equation"{place}{alt}>{line}<details class="source">'
            f"<summary>LaTeX</summary><pre>{escape(equation.latex)}</pre></details></figure>\n"
        )

    def step(self, step: Step) -> str:
        """One step of a derivation, open until a reader folds it; the same one again is pointed at."""
        if step in self.shown:
            place = self.shown[step]
            return f'<li><p>{escape(step.title)}: <a href="#{place}">the same as above</a>.</p></li>\n'
        place = ""
        if step.equations:  # a sentence alone is as short as the way to it
            self.shown[step] = f"step-{len(self.shown) + 1}"
            place = f' id="{self.shown[step]}"'
        said = f"<p>{self.text(step.words)}</p>\n" if step.words else ""
        formulas = "".join(map(self.equation, step.equations))
        checked = f'<p class="checked">✓ {self.text(step.checked)}</p>\n' if step.checked else ""
        return (
            f"<li{place}><details open><summary>{escape(step.title)}</summary>\n"
            f"{said}{formulas}{checked}</details></li>\n"
        )

    def table(self, table: Table) -> str:
        """Rows under headers, in a box that scrolls where the screen is narrow."""
        sides = [_SIDES[letter] for letter in table.alignment]
        head = "".join(
            f'<th scope="col"{side}>{self.text(cell)}</th>'
            for cell, side in zip(table.headers, sides, strict=True)
        )
        told_apart = _sentences(table)
        rows = "".join(
            f"<tr>{''.join(self.row(table, row, sides, told_apart))}</tr>\n" for row in table.rows
        )
        told = f"<figcaption>{self.text(table.caption)}</figcaption>\n" if table.caption else ""
        short = all(len(words(row[0])) <= _SHORT for row in table.rows)
        kind = f' data-filter="{escape(table.search)}"' if table.search else ""
        classes = ["short"] * (table.row_headers and short) + ["sentences"] * told_apart
        kind += f' class="{" ".join(classes)}"' if classes else ""
        kind += f' style="{escape(_told_of(table))}"' if told_apart else ""
        return (
            f'<figure class="table">\n{told}<div class="scroll"><table{kind}>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n</figure>\n"
        )

    def tally(self, counts: tuple[tuple[VerdictWord, int], ...]) -> str:
        """A bar whose parts are as long as there are many, and the same in words."""
        grown = ((_class(w.word), n) for w, n in counts)
        parts = "".join(f'<span class="{kind}" style="flex-grow:{n}"></span>' for kind, n in grown)
        told = "".join(f"<li>{n} {self.span(w)}</li>" for w, n in counts)
        bar = f'<div class="bar" aria-hidden="true">{parts}</div>'
        return f'<div class="tally">{bar}<ul>{told}</ul></div>\n'

    def row(
        self, table: Table, row: tuple[Text, ...], sides: list[str], told_apart: bool
    ) -> Iterator[str]:
        """The cells of a row; the first names it. Where rows become blocks, a cell says what it is."""
        for place, (cell, side) in enumerate(zip(row, sides, strict=True)):
            named = place == 0 and table.row_headers
            tag, scope = ("th", ' scope="row"') if named else ("td", "")
            name = words(table.headers[place]) if told_apart and place else ""
            brief = " data-brief" if name and len(name) + len(words(cell)) <= _LINE else ""
            yield f"<{tag}{scope}{side}{brief}>{self.text(cell)}</{tag}>"

    def figure(self, figure: Figure) -> str:
        """A drawing in the page itself, with its data to read and to copy."""
        name = next(self.names)
        drawing = inline_svg(figure.svg, name, self.drawn, LETTERS)
        return (
            f'<figure class="plot" id="{name}">\n'
            f'<div role="img" aria-label="{escape(figure.alt)}"{_least(figure.svg)}>{drawing}</div>\n'
            f"{_live(figure)}"
            f"<figcaption>{self.text(figure.caption)}\n"
            f"<details><summary>Data (<code>{name}.csv</code>)</summary>"
            f"{self.data(figure.csv, name)}</details></figcaption>\n</figure>\n"
        )

    def data(self, csv: str, name: str) -> str:
        """A drawing's data; where they are long, how they begin and the way to the file.

        A page of a report shows no more than what the columns are: the file lies beside it.
        """
        most = _COLUMNS if self.page.kind in self.site.shared else _DATA
        end = max(csv.rfind("\n", 0, most), csv.find("\n")) + 1  # whole lines, and one at least
        shown = csv[:end] if len(csv) > most else csv
        file = f"{self.page.slug.rpartition('/')[2]}.{name}.csv"
        rest = f'<p>These are the first lines; <a href="{escape(file)}">all of them</a>.</p>'
        return f"<pre><code>{escape(shown)}</code></pre>{rest if len(csv) > most else ''}"

    def text(self, text: Text) -> str:
        """A line of spans; no line begins with the full stop after a formula."""
        spans = spans_of(text)
        written = [self.span(span) for span in spans]
        for place, (span, after) in enumerate(itertools.pairwise(spans)):
            if isinstance(span, Math) and isinstance(after, str) and after[:1] in tuple(".,;:)"):
                held = f'<span class="held">{written[place]}{after[0]}</span>'
                written[place : place + 2] = [held, escape(after[1:])]
        return "".join(written)

    def span(self, span: Span) -> str:
        """One span."""
        match span:
            case str():
                return escape(span)
            case Math(latex):
                wide = len(plain(latex)) > _WIDE
                return f'<span class="wide">{mathml(latex)}</span>' if wide else mathml(latex)
            case Link(text, _, typed):
                away = ' rel="noreferrer"' if span.outside else ""
                place = escape(address(span, self.page, SUFFIX))
                return f'<a href="{place}"{away}>{_named(text, typed)}</a>'
            case Strong(text):
                return f"<strong>{escape(text)}</strong>"
            case Mono(text):
                return f"<code>{_name(text)}</code>"
            case Number(_, kind):
                mark = f'<sup class="mark" title="{kind}">{span.mark}</sup>' if span.mark else ""
                return f'<span class="number {kind}">{_powers(escape(span.written))}{mark}</span>'
            case VerdictWord(word):
                return f'<span class="word {_class(word)}">{_sign(span.sign)} {escape(span.said)}</span>'
            case EquationRef(label):
                return f'<a href="#eq-{label}">({self.numbers[label]})</a>'


def _named(text: str, typed: bool) -> str:
    return f"<code>{_name(text)}</code>" if typed else escape(text)


def _name(text: str) -> str:
    """What is typed; where it has to be broken it breaks between its words."""
    return re.sub(r"(?<=\w)_(?=\w)", "_<wbr>", escape(text))


def _sentences(table: Table) -> bool:
    """Whether a table is of sentences or long names: a narrow screen shows its rows as blocks."""
    named = table.row_headers and len(table.headers) > 3
    return any(
        (named and len(words(row[0])) > _NAME) or any(len(words(cell)) > _SENTENCE for cell in row[1:])
        for row in table.rows
    )


def _told_of(table: Table) -> str:
    """What each column is, once, for the style to put over its cells."""
    names = ((place, words(header)) for place, header in enumerate(table.headers, start=1))
    return "".join(f"--said-{k}:{dumps(n, ensure_ascii=False)};" for k, n in names if n and k > 1)


def _live(figure: Figure) -> str:
    """A place for what the script draws, which is not there without it."""
    return (
        f'<div class="live" data-live="{escape(figure.live.json())}" hidden></div>\n'
        if figure.live
        else ""
    )


def _least(svg: str) -> str:
    """How narrow a drawing may be made, as its letters have to be read; then it scrolls."""
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)
    return f' style="--least:{_NARROW * float(width[1]):.0f}px"' if width else ""


def _class(word: str) -> str:
    return word.replace(" ", "-")


def _sign(sign: str) -> str:
    return f'<span class="sign" aria-hidden="true">{sign}</span>'


def _powers(number: str) -> str:
    """Powers of ten as people write them."""
    power = re.compile(r"(?<=\d)e([+-]?)0*(\d+)")
    return power.sub(lambda m: f"·10<sup>{'−' * (m[1] == '-')}{m[2]}</sup>", number)
