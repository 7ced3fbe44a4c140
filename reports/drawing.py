"""Drawings that are safe to put into a page: well-formed SVG that neither acts nor fetches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
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


# A letter has the name of its font (or R, I) and its number there: the same in every drawing. After R
# and I, the upright and the slanted face of most words, that number is the letter itself.
_LETTER = r"(?:R|I|STIX\w+-\w+)-[0-9a-f]+"
_KNOWN = (
    (0x20, 0x7E), (0x391, 0x3A9), (0x3B1, 0x3C9), (0x2190, 0x2194), (0x2200, 0x2208), (0x2211, 0x2213),
    (0x221A, 0x221E), (0x2260, 0x2265), (0xFB00, 0xFB04),
)  # fmt: skip
_ALONE = (0xA0, 0xB0, 0xB1, 0xB5, 0xB7, 0xD7, 0x2013, 0x2026, 0x2032, 0x2248, 0x22C5, 0x2225, 0x223C)
_USE = re.compile(
    r'<use href="#([RI])-([0-9a-f]+)"(?: x="(?P<x>\S+)"| y="(?P<y>\S+)"'
    r'| transform="translate\((?P<at>\S+ \S+)\) scale\((?P<by>\S+)\)")*/>'
)
_WORDS = re.compile(
    r'<g style="fill:(?P<fill>[^";]*)" transform="translate\((?P<x>\S+) (?P<y>\S+)\)'
    r'(?P<turn> rotate\(\S+\))? scale\((?P<unit>\S+) -(?P=unit)\)">'
    rf'(?P<inside>(?:<defs>(?:<path id="{_LETTER}"[^>]*/>)*</defs>|<use href="#{_LETTER}"[^>]*/>'
    r'|<path d="[^"]*"/>)*)</g>'
)
_EM = 100  # units of a letter's height, as a drawing has them
SMALL = 0.7  # how high a letter of an index is


def known_letters() -> list[int]:
    """The letters that the fonts of drawings have: every other one stays an outline."""
    return sorted({*_ALONE, *(n for first, last in _KNOWN for n in range(first, last + 1))})


def inline_svg(svg: str, prefix: str, drawn: set[str] | None = None, size: float | None = None) -> str:
    """The drawing as it may stand inside a page: alone in its names, without a file's first lines.

    Outlines of letters that are ``drawn`` already, by another drawing of the page, are not drawn again.
    Where the page has the fonts of drawings, words are text; ``size`` is how high most of them are.

    >>> inline_svg('<?xml version="1.0"?><svg><g id="a"/><use href="#a"/></svg>', "plot")
    '<svg><g id="plot-a"/><use href="#plot-a"/></svg>'
    """
    drawing = svg[svg.index("<svg") :].strip()
    if size is not None:
        drawing = _in_words(drawing, size)
    shared = f'(?!{_LETTER}[")])' if drawn is not None else ""
    drawing = re.sub(rf'(\bid="|href="#|url\(#){shared}', rf"\g<1>{prefix}-", drawing)
    if drawn is None:
        return drawing

    def once(found: re.Match[str]) -> str:
        seen = found[1] in drawn
        drawn.add(found[1])
        return "" if seen else found[0]

    return re.sub(rf'<path id="({_LETTER})"[^>]*/>', once, drawing).replace("<defs></defs>", "")


def _in_words(drawing: str, size: float) -> str:
    """Words as text where every letter is in the fonts; outlines of all others stand first.

    >>> use = '<use href="#R-61"/><use href="#I-62" x="44.4"/>'
    >>> group = '<g style="fill:currentColor" transform="translate(7 9) scale(0.1 -0.1)">'
    >>> _in_words(f"{group}{use}</g>", 10.0)
    '<text x="7" y="9">a<tspan class="i" x="11.4">b</tspan></text>'
    """
    letters = set(known_letters())
    drawing = re.sub(r"\n?<style[^>]*>\.sg-plot.*?</style>", "", drawing)  # a page has these rules
    written = _WORDS.sub(lambda found: _text(found, letters, size) or found[0], drawing)
    outline = re.compile(rf'<path id="({_LETTER})"[^>]*/>')
    outlines = {found[1]: found[0] for found in outline.finditer(drawing)}
    used = dict.fromkeys(re.findall(rf'href="#({_LETTER})"', written))
    defined = f"<defs>{''.join(outlines[name] for name in used)}</defs>" if used else ""
    bare = without_bare_groups(outline.sub("", written).replace("<defs></defs>", ""))
    return re.sub(r"<svg[^>]*>", lambda found: found[0] + defined, bare, count=1)


def without_bare_groups(svg: str) -> str:
    """A drawing without groups that say nothing.

    >>> without_bare_groups('<g><g><path d="M0 0"/></g></g><g/>')
    '<path d="M0 0"/><g/>'
    """
    while (bare := re.sub(r"<g>((?:(?!</?g[ >]).)*)</g>", r"\1", svg)) != svg:
        svg = bare
    return svg


def _text(words: re.Match[str], letters: set[int], size: float) -> str | None:
    """A group of letters as text, each in its place; None where one is in no font."""
    unit, runs = float(words["unit"]), list[tuple[tuple[str, float, float], list[tuple[float, str]]]]()
    x, y = (0.0, 0.0) if words["turn"] else (float(words["x"]), float(words["y"]))
    bars = "".join(re.findall(r'<path d="[^"]*"/>', words["inside"]))
    inside = re.sub(r"<defs>.*?</defs>", "", words["inside"]).replace(bars, "")
    uses = list(_USE.finditer(inside))
    if sum(len(use[0]) for use in uses) < len(inside) or not uses:
        return None
    for use in uses:
        across, up = map(float, (use["at"] or f"{use['x'] or 0} {use['y'] or 0}").split())
        if int(use[2], 16) not in letters:
            return None
        kind = (use[1], y - unit * up, unit * _EM * float(use["by"] or 1))
        if not runs or runs[-1][0] != kind:
            runs.append((kind, []))
        runs[-1][1].append((x + unit * across, chr(int(use[2], 16))))
    fill = "" if words["fill"] == "currentColor" else f' style="fill:{words["fill"]}"'
    place = f"translate({words['x']} {words['y']}){words['turn'] or ''}"
    turned = f' transform="{place}"' if words["turn"] else ""
    before: Sequence[float | None] = (None, *(kind[1] for kind, _ in runs))
    first, *more = (_run(*run, size, y) for run, y in zip(runs, before, strict=False))
    text = f"<text{turned}{fill}{first}{''.join(f'<tspan{run}</tspan>' for run in more)}</text>"
    scale = f"{place} scale({words['unit']} -{words['unit']})"
    return text + (f'<g{fill} transform="{scale}">{bars}</g>' if bars else "")


def _run(
    kind: tuple[str, float, float], placed: list[tuple[float, str]], size: float, before: float | None
) -> str:
    """Letters of one face and height, with where each stands; what is as before is not said."""
    face, y, high = kind
    small = abs(high - SMALL * size) < 1e-6
    classes = " ".join(["i"] * (face == "I") + ["s"] * small)
    own = "" if small or abs(high - size) < 1e-6 else f' style="font-size:{high:g}px"'
    across = " ".join(_short(x) for x, _ in placed)
    down = "" if y == before else f' y="{_short(y)}"'
    letters = escape("".join(c for _, c in placed))
    return f'{classes and f" class={chr(34)}{classes}{chr(34)}"}{own} x="{across}"{down}>{letters}'


def _short(number: float) -> str:
    """A place in tenths of a point."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
