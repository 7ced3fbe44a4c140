"""What the search box of a report knows: every page, and places on pages that hold many things.

It is made of the pages themselves. A file gives it to the page's script, as no page may fetch anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from reports.document import (
    FAILED,
    Block,
    Heading,
    Mono,
    Page,
    Paragraph,
    Table,
    Verdict,
    spans_in,
    walk,
)
from reports.emit.words import words

NAME = "sgtheoryIndex"  # under which the page's script finds it
_HOLD_MANY = ("guide", "reference", "section", "words")  # kinds of pages of which places are found
_LONGEST = 260  # letters of what is looked through beside a title
_UNSEEN = ("index", FAILED)


def search_index(pages: Sequence[Page], synonyms: Sequence[Sequence[str]] = ()) -> str:
    """The file beside the pages.

    >>> page = Page("sgd", "Constant SGD", (Paragraph("An exact law."),), "sampler")
    >>> print(search_index((page,), (("step size", "learning rate"),)))
    window.sgtheoryIndex = {"pages":[["sampler","Constant SGD","","sgd.html","","sgd An exact law."]],
    "same":[["step size","learning rate"]]};
    <BLANKLINE>
    """
    found = [list(entry) for page in pages if page.kind not in _UNSEEN for entry in _entries(page)]
    told = ",\n".join(json.dumps(e, ensure_ascii=False, separators=(",", ":")) for e in found)
    same = json.dumps(list(map(list, synonyms)), ensure_ascii=False, separators=(",", ":"))
    safe = f'window.{NAME} = {{"pages":[{told}],\n"same":{same}}};\n'
    return safe.replace("\u2028", " ").replace("\u2029", " ")


Entry = tuple[str, str, str, str, str, str]  # kind, title, where, address, verdict, what else it says


def _entries(page: Page) -> Iterator[Entry]:
    """The page, and where it holds many things each of them: what stands under a heading."""
    paper = [link.text for link in page.trail[1:2]]
    where = ", ".join([*paper, words(page.summary)]) if page.kind == "claim" else ""
    own, parts = _parts(page.blocks)
    many = page.kind in _HOLD_MANY
    told = _told(own if many else page.blocks, page)
    name = page.slug.removeprefix(f"{page.kind}-")
    yield page.kind, page.title, where, f"{page.slug}.html", _verdict(own), f"{name} {told}".strip()
    for heading, inside in parts if many else ():
        place, told = f"{page.slug}.html#{heading.anchor}", _told(inside, page)
        yield page.kind, heading.text, page.title, place, _verdict(inside), told


def _parts(blocks: tuple[Block, ...]) -> tuple[list[Block], list[tuple[Heading, list[Block]]]]:
    """What stands before the first heading, and each heading with what stands under it."""
    own: list[Block] = []
    parts: list[tuple[Heading, list[Block]]] = []
    for block in walk(blocks):
        if isinstance(block, Heading):
            parts.append((block, []))
        else:
            (parts[-1][1] if parts else own).append(block)
    return own, parts


def _verdict(blocks: Sequence[Block]) -> str:
    return next((words(b.said) for b in blocks if isinstance(b, Verdict)), "")


def _told(blocks: Sequence[Block], page: Page) -> str:
    """The first that is said, the names that are typed, and those of libraries' samplers."""
    said = next((words(b.spans, page.numbers) for b in blocks if isinstance(b, Paragraph)), "")
    typed = dict.fromkeys(s.text for s in spans_in(tuple(blocks)) if isinstance(s, Mono))
    rows = [words(row[0]) for b in blocks if isinstance(b, Table) and b.search for row in b.rows]
    return " ".join(" ".join([said[:_LONGEST], *typed, *rows]).split())
