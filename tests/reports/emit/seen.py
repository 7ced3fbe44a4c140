"""What a reader sees of a page: its words outside of code and formulas, and what no word should hold."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_CLOSED = {"code", "pre", "math", "svg", "script", "style", "head"}
_EMPTY = {"meta", "link", "img", "br", "hr", "input", "col", "wbr"}
# Marks of programs and of LaTeX, numbers as programs print them, a limit with an infinity's name.
_RAW = re.compile(r"_|\*|sqrt\(|\\[a-z]+|lim infinity|\S  +\S|\$|\+-|\b\d\S*e[+-]?\d")


class _Words(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not _CLOSED & set(self.open):
            self.words.append(data)


def raw(text: str) -> list[str]:
    """The pieces of a page's words that are no words of a language."""
    return [words.strip() for words in _Words(text).words if _RAW.search(words)]
