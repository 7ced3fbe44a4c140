"""A page as files: itself, the data of its drawings, and what else belongs to it, side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from reports.document import Page
from sgtheory.errors import UnusableInput
from sgtheory.files.writing import write as write_file

FORMATS = {".html": "html", ".md": "markdown", ".tex": "latex", ".txt": "text", ".json": "json"}


def format_of(path: Path) -> str:
    """The format that the name of a page's file asks for; raises where there is none.

    >>> format_of(Path("check.html"))
    'html'
    """
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise UnusableInput(f"a page that ends in {known}", str(path.name), "such as check.html")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", path.stem):
        words = "a page's name of letters, digits, dots, dashes and underscores"
        raise UnusableInput(words, path.stem, "rename it")
    return FORMATS[path.suffix.lower()]


def write_page(page: Page, path: Path, beside: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Write a page, and beside it files of text by their names; the paths that were written."""
    from reports.emit import render, write
    from reports.emit.site import Site

    style = format_of(path)
    site = Site(home=page.slug)
    if style in ("html", "markdown"):
        written = list(write((page,), path.parent, (style,), site))
    else:
        write_file(path, render((page,), style, site))
        written = [path]
    for name, text in (beside or {}).items():
        write_file(path.parent / name, text)
        written.append(path.parent / name)
    return tuple(written)
