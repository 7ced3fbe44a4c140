"""Where browsers draw Temml's MathML less well than TeX would, and what is changed for it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

# What makes a formula taller than a line of letters with their indices.
_TALL = {"mfrac", "mtable", "munder", "mover", "munderover", "mroot", "menclose", "mpadded"}
_TALL_SIGNS = set("∑∏∫∮⨁⨂⋃⋂")


def mend(formula: ElementTree.Element) -> None:
    """Change a formula in place: its fences, its wide accents, and what goes without saying."""
    for element in formula.iter():
        if element.tag == "mrow":
            _settle_fences(element)
        if element.tag == "mo" and not element.text and element.get("fence") == "true":
            # Nothing, as left by \\left., would be given the room of an operator.
            element.attrib |= {"lspace": "0em", "rspace": "0em"}
        if element.tag == "mover":
            _fit_accent(element)
            if element[-1].text == "\u203e":
                element[-1].text = "¯"  # the bar that the font has
    for element in formula.iter("mo"):
        element.attrib.pop("fence", None)  # it means nothing to browsers, and is on every bracket
    for row in formula.iter("mrow"):
        _suppose_brackets(row)
    if formula.get("display") == "block":
        # What makes it a line of its own stands in the style, once for all formulas.
        del formula.attrib["class"], formula.attrib["style"]


def _settle_fences(row: ElementTree.Element) -> None:
    """Brackets round low formulas need not stretch.

    Chromium gives every bracket that may stretch the width of its largest size, so that the formula
    inside seems to float: Tr( A ).
    """
    parts = list(row)
    if len(parts) < 3 or not all(_is_fence(part) for part in (parts[0], parts[-1])):
        return
    if any(_is_tall(part) for part in parts[1:-1]):
        return
    for part in parts:
        if _is_fence(part) and part.text:
            part.set("stretchy", "false")


def _suppose_brackets(row: ElementTree.Element) -> None:
    """Every browser supposes that a bracket at the end of a row opens or closes it, and stretches."""
    if len(row) < 2:
        return
    for part, form, signs in ((row[0], "prefix", "([{"), (row[-1], "postfix", ")]}")):
        if part.tag == "mo" and (part.text or " ") in signs and part.get("form") == form:
            del part.attrib["form"]
            if part.get("stretchy") == "true":
                del part.attrib["stretchy"]


def _is_fence(element: ElementTree.Element) -> bool:
    return element.tag == "mo" and element.get("fence") == "true"


def _is_tall(part: ElementTree.Element) -> bool:
    if part.tag == "mstyle" and part.get("displaystyle") == "false":
        return False  # small fractions in the height of a line
    if (part.tag in _TALL and not _is_accent(part)) or (part.text or "") in _TALL_SIGNS:
        return True
    return any(map(_is_tall, part))


def _is_accent(element: ElementTree.Element) -> bool:
    return element.tag == "mover" and element[-1].tag == "mo" and (element[-1].text or "") in "ˆ˜^~¯˙¨ˇ→⃗"


def _fit_accent(element: ElementTree.Element) -> None:
    """A wide hat or tilde over what is drawn under it.

    Temml measures the LaTeX, where \\theta is long.
    """
    accent = element[-1]
    found = re.fullmatch(r"tml-(hat|tilde)-\d", accent.get("class", ""))
    if not found:
        return
    letters = min(len("".join(element[0].itertext())), 4)
    if found[1] == "tilde" and letters < 2:
        del accent.attrib["class"]
    else:
        accent.set("class", f"tml-{found[1]}-{letters}")
