"""Printing pages: HTML, LaTeX, Markdown, notebooks, JSON and text from one model.

``render`` gives text, ``write`` makes files. Each checks the formulas; ``write`` checks the links too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from reports.document import Figure, Math, Page, equations_of, spans_in, spans_of, walk
from reports.emit.search import search_index
from reports.emit.site import SCRIPT, SEARCH, STYLE, Site, check_figures, check_site, figure_names
from reports.emit.style import head_style, script
from sgtheory.errors import UnusableInput
from sgtheory.files.writing import try_folder
from sgtheory.files.writing import write as put

FORMATS = ("html", "latex", "markdown", "json", "text", "notebook")

_SUFFIXES = {
    "html": ".html", "markdown": ".md", "json": ".json", "text": ".txt", "notebook": ".ipynb"
}  # fmt: skip

__all__ = [
    "FORMATS",
    "Site",
    "html_files",
    "render",
    "search_files",
    "shared_files",
    "write",
    "write_pdf",
]


def render(pages: Sequence[Page], style: str, site: Site | None = None) -> str:
    """Pages as one text: one document in LaTeX, one after the other in all other formats.

    >>> print(render((Page("sgd", "Constant SGD", ()),), "markdown"))
    # Constant SGD
    <BLANKLINE>
    """
    from reports.emit import html, json, latex, markdown, notebook, text

    _check_format(style)
    if style in ("latex", "markdown", "notebook"):
        _check_formulas(pages)
    if style == "latex":
        return latex.render(pages)
    if style == "json":
        return json.render(pages[0]) if len(pages) == 1 else json.render_all(pages)
    if style == "html":
        return "\n".join(html.render(page, site) for page in pages)
    one = {"markdown": markdown.render, "text": text.render, "notebook": notebook.render}[style]
    return "\n".join(one(page) for page in pages)


def write(
    pages: Sequence[Page], folder: Path, formats: Sequence[str] = ("html",), site: Site | None = None
) -> tuple[Path, ...]:
    """Write the pages into a folder, each file whole or not at all; the paths that were written.

    Links that lead nowhere, formulas that cannot be typeset and pages that would be one file raise
    before anything is written.
    """
    site = site or Site(home="index" if any(p.slug == "index" for p in pages) else pages[0].slug)
    check_site(pages, site)
    for style in formats:
        _check_format(style)
    files = dict(file for style in formats for file in _files(pages, style, site))
    for inner in sorted({(folder / name).parent for name in files}):
        try_folder(inner)
    return tuple(put(folder / name, content) for name, content in files.items())


def html_files(page: Page, site: Site) -> dict[str, str]:
    """The files of a page alone, while others are still being made; its links are not checked."""
    check_figures(page)
    return dict(_pages((page,), "html", site))


def shared_files() -> dict[str, str]:
    """The style and the script that HTML pages share."""
    return {f"{STYLE}.css": head_style(with_math=True, with_plots=True), f"{SCRIPT}.js": script()}


def search_files(pages: Sequence[Page], site: Site) -> dict[str, str]:
    """What the search box of HTML pages knows, where they have one."""
    return {f"{SEARCH}.js": search_index(pages, site.synonyms)} if site.searched else {}


def _files(pages: Sequence[Page], style: str, site: Site) -> Iterator[tuple[str, str]]:
    if style == "latex":
        yield "report.tex", render(pages, "latex")
        return
    if style == "html" and site.shared:
        yield from shared_files().items()
    if style == "html":
        yield from search_files(pages, site).items()
    yield from _pages(pages, style, site)


def _pages(pages: Sequence[Page], style: str, site: Site) -> Iterator[tuple[str, str]]:
    suffix = _SUFFIXES[style]
    for page in pages:
        yield page.slug + suffix, render((page,), style, site)
        figures = [block for block in walk(page.blocks) if isinstance(block, Figure)]
        for figure, name in zip(figures, figure_names(page), strict=True):
            if style in ("html", "markdown"):
                yield f"{page.slug}.{name}.csv", figure.csv.rstrip("\n") + "\n"
            if style == "markdown":
                yield f"{page.slug}.{name}.svg", figure.svg.rstrip("\n") + "\n"


def write_pdf(pages: Sequence[Page], folder: Path) -> Path:
    """All pages as one PDF, by the TeX of this machine."""
    from reports.emit import pdf

    return put(try_folder(folder) / "report.pdf", pdf.render(pages))


def _check_format(style: str) -> None:
    if style not in FORMATS:
        raise UnusableInput(f"a format ({', '.join(FORMATS)})", repr(style), "choose one of these")


def _check_formulas(pages: Sequence[Page]) -> None:
    """Raise at the first formula that cannot be typeset, in formats that would not notice."""
    from reports.math.mathml import mathml

    for page in pages:
        for equation in equations_of(page.blocks):
            mathml(equation.latex, display=True)
        for span in (*spans_of(page.summary), *spans_in(page.blocks)):
            if isinstance(span, Math):
                mathml(span.latex)
