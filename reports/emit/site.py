"""What a page must know of the report round it: where other pages are, and whether links arrive."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from reports.document import FAILED, Figure, Link, Page, spans_in, spans_of, walk
from sgtheory.errors import UnusableInput


@dataclass(frozen=True)
class Site:
    """The name of a report, the links that stand on every page, and the page all begin with.

    Pages of the kinds in ``shared`` take their style and fonts from one file beside them: a thousand
    copies would weigh more than all that they say. Every other page has its style inside, and the fonts
    too where nothing is shared. Pages follow one another in each of ``rows``. A report that is
    ``searched`` has a box on every page and an index beside them; ``synonyms`` are what the box takes
    for the same.
    """

    name: str = "sgtheory"
    home: str = "index"
    navigation: tuple[Link, ...] = ()
    shared: tuple[str, ...] = ()
    rows: tuple[tuple[Link, ...], ...] = ()
    searched: bool = False
    synonyms: tuple[tuple[str, ...], ...] = ()

    def neighbours(self, slug: str) -> tuple[Link | None, Link | None]:
        """The pages before and after one.

        >>> Site(rows=((Link("One", "a"), Link("Two", "b")),)).neighbours("b")
        (Link(text='One', href='a', typed=False), None)
        """
        return self._beside.get(slug, (None, None))

    @cached_property
    def _beside(self) -> dict[str, tuple[Link | None, Link | None]]:
        return {
            link.href: (before, after)
            for row in self.rows
            for before, link, after in zip((None, *row), row, (*row[1:], None), strict=False)
        }


# The stems of files that pages share: style, script, and what the search box knows.
STYLE, SCRIPT, SEARCH = "style", "script", "search"


def relative(here: str, there: str, suffix: str) -> str:
    """The way from one page's file to another's.

    >>> relative("papers/mandt2017", "index", ".html")
    '../index.html'
    """
    return posixpath.relpath(there + suffix, posixpath.dirname(here) or ".")


def address(link: Link, page: Page, suffix: str) -> str:
    """Where a link leads from a page, as written in a file of that suffix."""
    if link.outside:
        return link.href
    slug, anchor = link.target
    place = f"#{anchor}" if anchor else ""
    return place if slug in ("", page.slug) and place else relative(page.slug, slug, suffix) + place


def links_of(page: Page) -> tuple[Link, ...]:
    """All links of a page, its trail included."""
    inside = (*spans_of(page.summary), *spans_in(page.blocks))
    return (*page.trail, *(span for span in inside if isinstance(span, Link)))


def figure_names(page: Page) -> tuple[str, ...]:
    """The stem of each figure's files, in the order in which the figures stand on the page."""
    figures = (block for block in walk(page.blocks) if isinstance(block, Figure))
    return tuple(figure.name or f"figure-{n}" for n, figure in enumerate(figures, start=1))


def check_site(pages: Sequence[Page], site: Site) -> None:
    """Raise where two pages are one file, two figures one name, or a link leads nowhere."""
    _check_slugs(pages)
    for page in pages:
        check_figures(page)
    for _, _, error in dead_links(pages, site):
        raise error


def check_figures(page: Page) -> None:
    """Raise where two figures of a page have one name."""
    names = figure_names(page)
    if len(set(names)) < len(names):
        raise UnusableInput(f"figures with different names on {page.slug!r}", str(names), "rename one")


def dead_links(pages: Sequence[Page], site: Site) -> Iterator[tuple[Page, Link, UnusableInput]]:
    """Links that lead nowhere, each with its page and what is to be said of it.

    A page that is empty, as it could not be made, has no places; links to them arrive at its top.
    """
    anchors = {page.slug: set(page.anchors) for page in pages}
    failed = {page.slug: page.kind == FAILED for page in pages}
    for page in pages:
        for link in (*site.navigation, *links_of(page)):
            error = None if link.outside else _dead(link, page, anchors, failed)
            if error is not None:
                yield page, link, error


def _check_slugs(pages: Sequence[Page]) -> None:
    seen: dict[str, str] = {}
    for page in pages:
        # Some file systems hold only one of two names that differ in case.
        if page.slug.lower() in seen:
            raise UnusableInput(
                "pages with different slugs, whatever their case",
                f"{page.slug!r} and {seen[page.slug.lower()]!r}",
                "rename one of them",
            )
        seen[page.slug.lower()] = page.slug


def _dead(
    link: Link, page: Page, anchors: dict[str, set[str]], failed: dict[str, bool]
) -> UnusableInput | None:
    slug, anchor = link.target
    slug = slug or page.slug
    if slug not in anchors:
        where = f"links of page {page.slug!r} to pages that exist"
        return UnusableInput(where, repr(link.href), "add that page")
    if anchor and anchor not in anchors[slug] and not failed[slug]:
        where = f"links of page {page.slug!r} to places that exist"
        known = ", ".join(sorted(anchors[slug])) or "none there"
        return UnusableInput(where, repr(link.href), f"choose one of: {known}")
    return None
