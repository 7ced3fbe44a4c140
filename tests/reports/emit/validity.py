"""What is wrong with an HTML page, or with a folder of them: markup, headings, names, links and more.

The parser is one that follows the HTML standard and tells every error; what the standard's parser
does not look at is looked at here. ``python -m tests.reports.emit.validity FOLDER`` reads a whole site.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

HTML, MATH, SVG = (
    f"{{http://www.w3.org/{name}}}" for name in ("1999/xhtml", "1998/Math/MathML", "2000/svg")
)
# The elements of the standards that pages may use; obsolete ones are not among them.
KNOWN = {
    HTML: """a aside body code details div figcaption figure footer h1 h2 h3 h4 head header html li link
        main meta nav ol p pre script span strong style sub summary sup table tbody td th thead title tr
        ul wbr""",
    MATH: """math menclose merror mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle
        msub msubsup msup mtable mtd mtext mtr munder munderover none semantics annotation""",
    SVG: """svg g path defs use clipPath rect circle ellipse line polyline polygon text tspan title desc
        style metadata pattern linearGradient stop image marker""",
}


def _set(words: str) -> set[str]:
    return set(words.split())


OBSOLETE = _set("align bgcolor border cellpadding cellspacing valign nowrap width height hspace vspace")
# What holds a line of words can hold no block; the parser closes a paragraph in one without a word.
LINES = _set("a code h1 h2 h3 h4 p pre span strong sub summary sup th title")
BLOCKS = _set("aside details div figure footer h1 h2 h3 h4 header li main nav ol p pre table ul")
# What holds blocks holds no words of its own; the parser puts words between rows before their table.
BARE = _set("html head body header main footer nav figure ul ol table thead tbody tr aside")
CHILDREN = {
    "ul": {"li"}, "ol": {"li"}, "table": {"thead", "tbody"}, "thead": {"tr"}, "tbody": {"tr"},
    "tr": {"td", "th"}, "html": {"head", "body"},
}  # fmt: skip


def read(text: str) -> tuple[Any, list[str]]:
    """The tree of a page, and what its parser has to say."""
    from tinyhtml5.parser import HTMLParser

    parser = HTMLParser()
    tree = parser.parse(text)
    return tree, [f"line {line}: {what} {about or ''}" for (line, _), what, about in parser.errors]


def faults(text: str) -> list[str]:
    """All that is wrong with a page."""
    tree, found = read(text)
    for check in (_elements, _nesting, _names, _headings, _described, _tables, _head, _fetched):
        found += check(tree)
    if not text.startswith("<!doctype html>\n"):
        found.append("no doctype")
    return found


def _kind(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _html(tree: Any, *kinds: str) -> Iterator[Any]:
    for element in tree.iter():
        if str(element.tag).startswith(HTML) and (not kinds or _kind(element) in kinds):
            yield element


def words_of(element: Any) -> str:
    """All words inside an element."""
    return "".join(element.itertext())


def _elements(tree: Any) -> Iterator[str]:
    for element in tree.iter():
        space, brace, kind = str(element.tag).rpartition("}")
        if not brace:
            continue  # a comment
        if kind not in KNOWN.get(space + brace, "").split():
            yield f"<{kind}> is not to be used"
        if space + brace == HTML:
            for name in element.attrib:
                if name.startswith("on") or name in OBSOLETE:
                    yield f"<{kind} {name}>"


def _nesting(tree: Any) -> Iterator[str]:
    for outer in _html(tree):
        kind, children = _kind(outer), [_kind(child) for child in outer]
        if kind in CHILDREN and (wrong := set(children) - CHILDREN[kind]):
            yield f"<{kind}> holds {wrong}"
        bare = "".join(words or "" for words in (outer.text, *(child.tail for child in outer))).strip()
        if bare and (kind in BARE or (kind == "div" and BLOCKS & set(children))):
            yield f"bare words in <{kind}>: {bare[:60]}"
        if kind in LINES:
            inside = {_kind(e) for e in outer.iter() if e is not outer and str(e.tag).startswith(HTML)}
            if wrong := inside & BLOCKS:
                yield f"<{kind}> holds {wrong}: {words_of(outer)[:60]!r}"
        if kind == "a" and any(_kind(e) == "a" for e in outer.iter() if e is not outer):
            yield "a link in a link"
        if kind == "details" and (children[:1] != ["summary"] or children.count("summary") > 1):
            yield "<details> does not begin with its summary"
        if kind == "figure" and "figcaption" in children[1:-1]:
            yield "a caption in the middle of a figure"


def _names(tree: Any) -> Iterator[str]:
    names = [element.get("id") for element in tree.iter() if element.get("id") is not None]
    yield from (f"id {name!r} is used twice" for name in {n for n in names if names.count(n) > 1})
    yield from (f"id {name!r}" for name in names if not name or re.search(r"\s", name))
    for link in _html(tree, "a"):
        href = link.get("href")
        if not href:
            yield "a link to nowhere"
        elif href.startswith("#") and href[1:] not in names:
            yield f"a link to {href}, which is not there"
        if not (words_of(link).strip() or link.get("aria-label")):
            yield f"a link without words: {href}"


def _headings(tree: Any) -> Iterator[str]:
    levels = [int(_kind(h)[1]) for h in _html(tree, "h1", "h2", "h3", "h4", "h5", "h6")]
    if levels[:1] != [1] or levels.count(1) != 1:
        yield f"headings {levels[:5]}...: the title is one h1, and first"
    if any(after > before + 1 for before, after in itertools.pairwise(levels)):
        yield f"headings skip a level: {levels}"
    yield from (
        "an empty heading" for h in _html(tree, "h1", "h2", "h3", "h4") if not words_of(h).strip()
    )


def _described(tree: Any) -> Iterator[str]:
    drawings = (d for d in _html(tree) if d.get("role") == "img" and (d.get("aria-label") or "").strip())
    inside = {id(e) for drawing in drawings for e in drawing.iter()}
    for element in tree.iter():
        told = element.get("aria-label") or element.get("alt") or element.get("aria-hidden") == "true"
        if _kind(element) in ("img", "svg") and not told and id(element) not in inside:
            yield f"<{_kind(element)}> without a description"


def _tables(tree: Any) -> Iterator[str]:
    for table in _html(tree, "table"):
        widths = {len(row) for row in table.iter(f"{HTML}tr")}
        if len(widths) > 1:
            yield f"a table with rows of {sorted(widths)} cells"
        for head in table.iter(f"{HTML}th"):
            if head.get("scope") not in ("col", "row"):
                yield f"a header without a scope: {words_of(head)!r}"
        if not list(table.iter(f"{HTML}th")):
            yield "a table without headers"


def _head(tree: Any) -> Iterator[str]:
    if tree.get("lang") != "en":
        yield "no language"
    titles = [words_of(t).strip() for t in _html(tree, "title")]
    if len(titles) != 1 or not titles[0]:
        yield f"titles {titles}"
    metas = {meta.get("name") or meta.get("http-equiv") or "charset" for meta in _html(tree, "meta")}
    if lacking := {"charset", "viewport", "Content-Security-Policy"} - metas:
        yield f"no meta {sorted(lacking)}"


def _fetched(tree: Any) -> Iterator[str]:
    for element in tree.iter():
        for name, value in element.attrib.items():
            held = name.rpartition("}")[2]
            used = held == "href" and _kind(element) == "use" and not value.startswith("#")
            if used or held in ("src", "srcset", "data", "poster"):
                yield f"<{_kind(element)} {name}={value[:60]!r}> is fetched"
        if _kind(element) == "link" and re.match(r"(?:[a-z]+:)?//", element.get("href", "")):
            yield f"<link> to {element.get('href')}"
        if _kind(element) == "style":
            yield from style_faults(words_of(element))


def style_faults(rules: str) -> Iterator[str]:
    """What a style would fetch."""
    for found in re.findall(r"""@import.*|url\(\s*(?!["']?(?:data:|\#|%23))[^)]*""", rules):
        yield f"a style fetches {found[:60]}"


def site_faults(folder: Path) -> dict[str, list[str]]:
    """What is wrong with each page of a folder, links between pages included."""
    texts = {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.html"))
    }
    names = {page: set(re.findall(r'\bid="([^"]*)"', text)) for page, text in texts.items()}
    found = {}
    for page, text in texts.items():
        wrong = faults(text)
        for href in set(re.findall(r'<(?:a|link) [^>]*?href="([^"#][^"]*)"', text)):
            wrong += _arrives(folder, page, href, names)
        if wrong:
            found[page] = wrong
    for path in folder.rglob("*.css"):
        if wrong := list(style_faults(path.read_text("utf-8"))):
            found[path.name] = wrong
    return found


def _arrives(folder: Path, page: str, href: str, names: dict[str, set[str]]) -> Iterator[str]:
    if re.match(r"(?:https?://|mailto:|data:)", href):
        return
    file, _, anchor = unquote(href).partition("#")
    there = ((folder / page).parent / file).resolve()
    if not there.is_file() or not there.is_relative_to(folder.resolve()):
        yield f"a link to {href}, which is no file of the site"
    elif anchor and anchor not in names[there.relative_to(folder.resolve()).as_posix()]:
        yield f"a link to {href}, a place that is not there"


if __name__ == "__main__":
    wrong = site_faults(Path(sys.argv[1]))
    for page, told in wrong.items():
        print(page, *told[:5], sep="\n    ")
    sys.exit(bool(wrong))
