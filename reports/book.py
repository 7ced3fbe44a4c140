"""A report that is being written: each page as soon as it is made, whole, and one that fails says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from reports.document import Link, Page, relinked
from reports.emit import Site, html_files, render, search_files, shared_files, write, write_pdf
from reports.emit.site import dead_links
from reports.making import Fault, failed, reason_of
from sgtheory.errors import UnusableInput
from sgtheory.files.writing import write as put


class Book:
    """The pages of a report that there are, and the faults that were met.

    What stands ``alone`` does not hold all that its pages speak of: links there are words, and no fault.
    """

    def __init__(
        self, folder: Path, formats: tuple[str, ...], site: Site, again: str, alone: bool = False
    ) -> None:
        self.folder, self.formats, self.site, self.again = folder, formats, site, again
        self.alone = alone
        self.pages: dict[str, Page] = {}
        self.faults: list[Fault] = []
        self.files: set[Path] = set()
        if "html" in formats:
            self._put(shared_files())

    def put(self, page: Page, fault: Fault | None = None) -> None:
        """Take a page, and write it; where it cannot be typeset, a page that says so."""
        if fault is not None:
            self.faults.append(fault)
        same = [slug for slug in self.pages if slug.lower() == page.slug.lower()]
        if same:
            reason = f"another page has this name already, whatever the case of letters: {same[0]}"
            self.faults.append(Fault(same[0], reason))
            return
        self._write(page)

    def replace(self, page: Page) -> None:
        """Write a page anew, such as the index; the links over it are to what is there."""
        self._write(page, replace(self.site, navigation=tuple(filter(self.has, self.site.navigation))))

    def made(self, page: Page, make: Callable[[], Page]) -> None:
        """Make a page, as it was announced, and put it; where that fails, a page that says so."""
        try:
            made, fault = make(), None
        except Exception as error:
            made, fault = failed(page, error, self.again)
        self.put(made, fault)

    def _write(self, page: Page, site: Site | None = None) -> None:
        if "html" in self.formats:
            try:
                files = html_files(page, site or self.site)
            except Exception as error:
                page, fault = failed(page, error, self.again)
                self.faults.append(fault)
                files = html_files(page, site or self.site)
            self._put(files)
        self.pages[page.slug] = page

    def _put(self, files: Mapping[str, str]) -> None:
        for name, content in files.items():
            self.files.add(put(self.folder / name, content, durable=False))

    def has(self, link: Link) -> bool:
        """Whether what a link leads to is there."""
        return link.outside or not link.target[0] or link.target[0] in self.pages

    def mend(self) -> None:
        """Where links lead nowhere, their words stand alone, and it is said."""
        dead: dict[str, list[tuple[Link, UnusableInput]]] = {}
        for page, link, error in dead_links(tuple(self.pages.values()), self.site):
            dead.setdefault(page.slug, []).append((link, error))
        for slug, found in dead.items():
            if not self.alone:
                self.faults.append(Fault(slug, reason_of(found[0][1])))
            self._write(relinked(self.pages[slug], partial(_is_none_of, {link for link, _ in found})))

    def index(self) -> None:
        """Write what the search box knows."""
        if "html" in self.formats:
            self._put(search_files(tuple(self.pages.values()), self.site))

    def others(self, order: tuple[str, ...]) -> None:
        """Write what has all pages in it, or is not written as they come: every format but HTML."""
        for style in self.formats:
            if style == "html":
                continue
            try:
                self._whole(style, order)
            except UnusableInput:  # a page that this format cannot carry
                for slug in order:
                    self._try(self.pages[slug], style)
                self._whole(style, order)

    def _whole(self, style: str, order: tuple[str, ...]) -> None:
        pages = tuple(self.pages[slug] for slug in order)
        if style == "pdf":
            self.files.add(write_pdf(pages, self.folder))
        else:
            self.files.update(write(pages, self.folder, (style,), self.site))

    def _try(self, page: Page, style: str) -> None:
        try:
            render((page,), "latex" if style == "pdf" else style, self.site)
        except Exception as error:
            page, fault = failed(page, error, self.again)
            self.faults.append(fault)
            self._write(page)


def _is_none_of(links: set[Link], link: Link) -> bool:
    return link not in links
