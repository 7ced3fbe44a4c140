"""Drawings that are safe to put into a page: well-formed SVG that neither acts nor fetches."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from sgtheory.errors import UnusableInput

_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")
_ACTIVE = ("script", "foreignObject", "iframe", "animate", "set", "a", "image", "audio", "video")


def check_svg(svg: object) -> None:
    """Raise where a drawing is not SVG, holds something that acts, or refers to anything outside it."""
    if not isinstance(svg, str) or "<!ENTITY" in svg:
        raise UnusableInput("a drawing as SVG text", repr(svg)[:80], "see reports.figures")
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise UnusableInput("a drawing in well-formed SVG", str(error), "see reports.figures") from error
    if _local(root.tag) != "svg":
        raise UnusableInput("a drawing that begins with <svg>", _local(root.tag), "see reports.figures")
    for element in root.iter():
        fault = _fault(element)
        if fault:
            raise UnusableInput("a drawing that neither acts nor fetches", fault, "remove it")


def _fault(element: ElementTree.Element) -> str | None:
    if _local(element.tag) in _ACTIVE:
        return f"the element {_local(element.tag)}"
    style = (element.text or "") if _local(element.tag) == "style" else ""
    for name, value in element.attrib.items():
        if _local(name).lower().startswith("on"):
            return f"the attribute {_local(name)}"
        if name in _HREFS and not value.startswith("#"):
            return f"a reference to {value[:40]}"
        style += value
    if re.search(r"@import|url\(\s*['\"]?(?!#)|javascript:", style):
        return "a style that fetches"
    return None


def _local(name: object) -> str:
    return str(name).rpartition("}")[2]


# A letter has the name of its font (or R, I) and its number there: the same in every drawing.
_LETTER = r"(?:R|I|STIX\w+-\w+)-[0-9a-f]+"


def inline_svg(svg: str, prefix: str, drawn: set[str] | None = None) -> str:
    """The drawing as it may stand inside a page: alone in its names, without a file's first lines.

    Outlines of letters that are ``drawn`` already, by another drawing of the page, are not drawn again.

    >>> inline_svg('<?xml version="1.0"?><svg><g id="a"/><use href="#a"/></svg>', "plot")
    '<svg><g id="plot-a"/><use href="#plot-a"/></svg>'
    """
    drawing = svg[svg.index("<svg") :].strip()
    shared = f'(?!{_LETTER}[")])' if drawn is not None else ""
    drawing = re.sub(rf'(\bid="|href="#|url\(#){shared}', rf"\g<1>{prefix}-", drawing)
    if drawn is None:
        return drawing

    def once(found: re.Match[str]) -> str:
        seen = found[1] in drawn
        drawn.add(found[1])
        return "" if seen else found[0]

    return re.sub(rf'<path id="({_LETTER})"[^>]*/>', once, drawing).replace("<defs></defs>", "")
