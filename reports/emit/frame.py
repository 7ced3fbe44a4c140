"""What stands round a page's blocks: its head, the way to it, search, contents, neighbours and foot."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from reports.document import Heading, Link, Page, Text, walk
from reports.emit.site import SCRIPT, SEARCH, STYLE, Site, relative
from reports.emit.style import head_style, script, script_hash
from reports.emit.words import LEGEND, MARKS, words

# Nothing may be fetched and nothing may act, whatever a page holds.
_POLICY = (
    "default-src 'none'; style-src {} 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'"
)
_OWN_FILES = "'self' file:"
_LONG = 4  # headings from which on a page has its contents beside it

Prints = Callable[[Text], str]


def framed(page: Page, site: Site, body: str, text: Prints) -> str:
    """The whole file of a page whose blocks are printed."""
    return _Frame(page, site, body, text).document()


class _Frame:
    """The frame of one page; ``text`` prints a line."""

    def __init__(self, page: Page, site: Site, body: str, text: Prints) -> None:
        self.page, self.site, self.body, self.text = page, site, body, text
        self.shares = page.kind in site.shared  # takes its style and script from files beside it
        self.acts = site.searched or "<table data-filter" in body or " data-live=" in body

    def document(self) -> str:
        """The whole file."""
        page, front = self.page, self.front()
        policy = escape(self.policy(), quote=False)  # it has no quotation marks of two strokes
        summary = escape(words(page.summary, page.numbers))
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            + (f'<meta name="description" content="{summary}">\n' if summary else "")
            + f"<title>{escape(page.title)}{self.suffix()}</title>\n"
            f'<link rel="icon" href="data:,">\n{self.style("<math" in self.body + front)}</head>\n'
            f'<body class="{page.kind}">\n<a class="skip" href="#content">Skip to the content</a>\n'
            f'{self.top()}{self.contents()}<main id="content">\n{front}{self.body}</main>\n'
            f"{self.around()}{self.foot()}{self.script()}</body>\n</html>\n"
        )

    def policy(self) -> str:
        """What the page may fetch and run: style, script and search index beside it, and our script."""
        policy = _POLICY.format(_OWN_FILES if self.site.shared else "").replace("  ", " ")
        own = "" if self.site.shared else f" {script_hash()}"  # one that is inside the page
        beside = f" {_OWN_FILES}" if self.site.shared or self.site.searched else ""
        return f"{policy}; script-src{own}{beside}" if self.acts else policy

    def style(self, with_math: bool) -> str:
        """The style, or where it is; in a report, a page that has its own finds its fonts beside it."""
        beside = f'<link rel="stylesheet" href="{self.beside(STYLE, ".css")}">\n'
        if self.shares:
            return beside
        with_plots = 'class="sg-plot"' in self.body
        if self.site.shared:
            return f"<style>\n{head_style(False)}</style>\n{beside if with_math or with_plots else ''}"
        return f"<style>\n{head_style(with_math, with_plots)}</style>\n"

    def script(self) -> str:
        """The script, or where it is."""
        if not self.acts:
            return ""
        if self.site.shared:  # a page that is sent alone is complete without it
            return f'<script src="{self.beside(SCRIPT, ".js")}"></script>\n'
        return f"<script>{script()}</script>\n"

    def beside(self, stem: str, suffix: str) -> str:
        """The way to a file that pages share."""
        return relative(self.page.slug, stem, suffix)

    def suffix(self) -> str:
        """The report's name behind a page's title, unless that is the title."""
        return "" if self.page.title == self.site.name else f" – {escape(self.site.name)}"

    def top(self) -> str:
        """The way here, the links that stand on every page, and a place for the search box."""
        home = Link(self.site.name, self.site.home)
        trail = [home, *(link for link in self.page.trail if link.href != home.href)]
        if self.page.slug == self.site.home:
            trail = []
        crumbs = "".join(f"<li>{self.text(link)}</li>" for link in trail)
        links = "".join(f"<li>{self.text(link)}</li>" for link in self.site.navigation)
        way = f'<nav aria-label="Breadcrumb"><ol>{crumbs}</ol></nav>\n' if trail else ""
        more = f'<nav aria-label="Report"><ul>{links}</ul></nav>\n' if links else ""
        index = self.beside(SEARCH, ".js")
        find = f'<div class="find" data-index="{index}" hidden></div>\n' if self.site.searched else ""
        return f'<header class="top">\n{way}{more}{find}</header>\n' if way or more or find else ""

    def contents(self) -> str:
        """The headings of a long page: beside it where there is room, folded above it where not."""
        heads = [b for b in walk(self.page.blocks) if isinstance(b, Heading) and b.level == 2]
        if len(heads) < _LONG:
            return ""
        items = "".join(f'<li><a href="#{h.anchor}">{escape(h.text)}</a></li>' for h in heads)
        listed = f'<nav aria-label="On this page"><ol>{items}</ol></nav>'
        return f'<details class="rail"><summary>On this page</summary>{listed}</details>\n'

    def front(self) -> str:
        """Kind, title and summary."""
        page = self.page
        kind = "" if page.kind in ("page", "index") else f'<p class="kind">{page.kind.title()}</p>\n'
        told = f'<p class="summary">{self.text(page.summary)}</p>\n' if page.summary else ""
        return f"{kind}<h1>{escape(page.title)}</h1>\n{told}"

    def around(self) -> str:
        """The pages before and after this one."""
        before, after = self.site.neighbours(self.page.slug)
        ways = ((before, "prev", "Previous"), (after, "next", "Next"))
        links = "".join(
            f'<a rel="{rel}" href="{self.beside(link.href, ".html")}">'
            f"<span>{word}</span> {escape(link.text)}</a>"
            for link, rel, word in ways
            if link is not None
        )
        return f'<nav class="around" aria-label="Neighbours">{links}</nav>\n' if links else ""

    def foot(self) -> str:
        """What the marks at numbers mean, where there are any."""
        seen = [k for k in MARKS if f'class="number {k}"' in self.body]
        told = "; ".join(f"{MARKS[kind][0]}\u00a0{MARKS[kind][1]}" for kind in seen)
        return f'<footer><p class="legend">{LEGEND}; {told}.</p></footer>\n' if told else ""
