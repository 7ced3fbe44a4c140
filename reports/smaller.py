"""What Matplotlib writes of a drawing, in a third of the letters."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from reports.drawing import without_bare_groups


def small(svg: str) -> str:
    """The same drawing in a third of the letters: hundredths of a point, names only where they are used.

    What has neither a line nor a colour is left out.

    >>> small('<g id="axes_1">\\n  <path d="M 1.23456 2 \\nL -0.001 2 \\n" style="stroke: red"/>\\n</g>')
    '<path d="M1.23 2h-1.23" style="stroke:red"/>'
    >>> small('<path d="M 0 0 \\nL 9 9" style="fill: none"/><g/>')
    '<g/>'
    """
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", svg)
    svg = re.sub(r"scale\([^)]*\)|-?\d+\.\d{3,}", _hundredths, svg)
    svg = re.sub(r' d="([^"]*)"', lambda m: f' d="{_path(m[1])}"', svg)
    svg = re.sub(r' style="[^"]*"', lambda m: re.sub(r"([:;]) ", r"\1", m[0]), svg)
    svg = re.sub(_UNSEEN, "", re.sub(r">\s+<", "><", svg))
    svg = re.sub(rf"({_CELL}){{2,}}", _merged, svg)
    svg = _styled_once(re.sub(r'(<use [^>]*)transform="translate\((\S+) (\S+)\)"/>', _placed, svg))
    svg = re.sub(r"(?<=[\"#])STIXGeneral-(Regular|Italic)-([0-9a-f]+)", _letter, svg)
    svg = without_bare_groups(svg)
    svg = re.sub(_OUTLINE, lambda m: f' d="{_relative(m[1], 0.125)}" transform="scale(0.125)"', svg)
    return _dotted(
        _ticked(re.sub(r' d="(M[^"]*[LHVQC][^"]*)"', lambda m: f' d="{_relative(m[1])}"', svg))
    )


_FACES = {"Regular": "STIXGeneral.ttf", "Italic": "STIXGeneralItalic.ttf"}


def _letter(found: re.Match[str]) -> str:
    """The name of an outline: R or I, and the number of its letter; where it is none, as it was."""
    letter = _letters(found[1]).get(int(found[2], 16))
    return found[0] if letter is None else f"{found[1][0]}-{letter:x}"


@cache
def _letters(face: str) -> dict[int, int]:
    """The letter that each outline of a face is, the first of several."""
    import matplotlib
    from matplotlib.font_manager import get_font

    font = get_font(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / _FACES[face])
    return {outline: letter for letter, outline in sorted(font.get_charmap().items(), reverse=True)}


def _placed(found: re.Match[str]) -> str:
    x, y = found[2], found[3]
    return f'{found[1]}x="{x}"' + (f' y="{y}"/>' if y != "0" else "/>")


def _styled_once(svg: str) -> str:
    """Marks whose every use has one style have it themselves; their names are numbers.

    >>> _styled_once('<path id="mab" d="M0 0" style="a:1"/><use href="#mab" x="1" style="a:2;b:3"/>')
    '<path id="m1" d="M0 0" style="a:1;b:3"/><use href="#m1" x="1"/>'
    """
    marks = re.findall(r'<path id="(m[0-9a-f]+)" d="[^"]*" style="([^"]*)"/>', svg)
    for n, (mark, own) in enumerate(marks, start=1):
        used = set(re.findall(rf'<use href="#{mark}"[^>]* style="([^"]*)"/>', svg))
        if len(used) == 1:
            both = dict(part.split(":", 1) for part in f"{used.pop()};{own}".split(";"))
            style = ";".join(f"{key}:{value}" for key, value in sorted(both.items()))
            svg = re.sub(rf'(<use href="#{mark}"[^>]*?) style="[^"]*"/>', r"\1/>", svg)
            svg = re.sub(rf'(<path id="{mark}" d="[^"]*" style=")[^"]*"', rf'\g<1>{style}"', svg)
        svg = re.sub(rf'(["#]){mark}"', rf'\1m{n}"', svg)
    return svg


def _ticked(svg: str) -> str:
    """Ticks of one length and style as one outline, which stands where the first of them stood.

    >>> one = '<use href="#m1" x="3" y="9"/><text/><use href="#m1" x="5"/>'
    >>> _ticked(f'<defs><path id="m1" d="M0 0v2" style="a:1"/></defs>{one}')
    '<path d="M3 9v2M5 0v2" style="a:1"/><text/>'
    """
    for whole, mark, way, style in re.findall(_TICK, svg):
        uses = re.findall(rf'<use href="#{mark}" x="(\S+)"(?: y="(\S+)")?/>', svg)
        if len(uses) == svg.count(f'href="#{mark}"'):
            lines = "".join(f"M{x} {y or 0}{way}" for x, y in uses)
            svg = re.sub(rf'<use href="#{mark}"[^>]*/>', "", svg)
            svg = svg.replace(whole, f'<path d="{lines}" style="{style}"/>')
    return svg


def _dotted(svg: str) -> str:
    """Round dots of one colour that follow one another as one line of no length with round ends.

    >>> ring = "M0 2c1.1 0 2-.9 2-2c0-1.1-.9-2-2-2c-1.1 0-2 .9-2 2c0 1.1 .9 2 2 2z"
    >>> uses = '<use href="#m1" x="3" y="9"/><use href="#m1" x="5"/>'
    >>> _dotted(f'<defs><path id="m1" d="{ring}" style="fill:red;stroke:red"/></defs>{uses}')
    '<path d="M3 9h0M5 0h0" style="fill:none;stroke:red;stroke-width:5;stroke-linecap:round"/>'
    """
    for whole, mark, outline, own in re.findall(_MARK, svg):
        radius = _radius(outline)
        if radius:
            svg = re.sub(
                rf'(?:<use href="#{mark}"[^>]*/>)+', partial(_dots, radius=radius, own=own), svg
            )
            if f'"#{mark}"' not in svg:
                svg = svg.replace(whole, "")
    return svg


def _dots(found: re.Match[str], radius: float, own: str) -> str:
    uses = re.findall(
        r'<use href="[^"]*"(?: x="([^"]*)")?(?: y="([^"]*)")?(?: style="([^"]*)")?/>', found[0]
    )
    written = []
    for style, some in groupby(uses, lambda use: use[2]):
        said = dict(part.split(":", 1) for part in f"{own};{style}".split(";") if part)
        fill, edge = said.pop("fill", ""), said.pop("stroke", "none")
        wide = 0.0 if edge == "none" else float(said.pop("stroke-width", 1))
        if said or fill in ("", "none") or edge not in ("none", fill):
            return found[0]
        places = "".join(f"M{x or 0} {y or 0}h0" for x, y, _ in some)
        line = f"fill:none;stroke:{fill};stroke-width:{2 * radius + wide:.4g};stroke-linecap:round"
        written.append(f'<path d="{places}" style="{line}"/>')
    return "".join(written) if len(uses) == found[0].count("<use") else found[0]


def _radius(outline: str) -> float | None:
    """Of an outline that is a circle round nothing; None of any other."""
    first = re.match(r"M0 ([\d.]+)c", outline)
    if not first or re.search(r"[^M\d.\- cz]", outline):
        return None
    radius, x, y = float(first[1]), 0.0, float(first[1])
    for curve in outline.rstrip("z").split("c")[1:]:
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", curve)]
        x, y = x + numbers[4], y + numbers[5]
        if abs(math.hypot(x, y) - radius) > 0.03 * radius:
            return None
    return radius


_MARK = r'(<defs><path id="(m[0-9a-f]+)" d="([^"]*)"(?: style="([^"]*)")?/></defs>)'
_TICK = r'(<defs><path id="(m\d+)" d="M0 0([hv]-?[\d.]+)" style="([^"]*)"/></defs>)'
# A letter's outline in units of 1/64; an eighth is finer than a hundredth of a point at any size.
_OUTLINE = r' d="([^"]*)" transform="scale\(0\.015625\)"'
_MANY = 300  # letters of an outline
_SIZES = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "C": 6, "z": 0}


def _relative(path: str, factor: float = 1.0) -> str:
    """An outline by the way from point to point, in hundredths or, where it is scaled, in whole units.

    Of straight ways along many points tenths are as good, as no screen shows less.

    >>> _relative("M10 20L10 30L12.5 31C1 2 3 4 12 31zM0 0H3V1z")
    'M10 20v10l2.5 1c-11.5-29-9.5-27-.5 0zM0 0h3v1z'
    >>> _relative("M80 0L160 8L240 0z", 0.125)
    'M10 0l10 1l10-1z'
    """
    long = len(path) > _MANY and not re.search("[QC]", path)
    unit = 1 if factor != 1.0 else 10 if long else 100
    x = y = 0
    begin, written = (0, 0), []
    for command, numbers in re.findall(r"([MLHVQCz])([^MLHVQCz]*)", path):
        places = [round(float(number) * factor * unit) for number in numbers.split()]
        assert len(places) == _SIZES[command], path
        if command == "M":
            x, y = begin = (places[0], places[1])
            written.append("M" + _joined(places, unit))
            continue
        if command == "z":
            x, y = begin
            written.append("z")
            continue
        if command in "HV":
            places = [places[0], y] if command == "H" else [x, places[0]]
        steps = [place - (x, y)[k % 2] for k, place in enumerate(places)]
        x, y = places[-2:]
        if command in "QC":
            written.append(command.lower() + _joined(steps, unit))
        elif steps[1] == 0:
            written.append("h" + _joined(steps[:1], unit))
        elif steps[0] == 0:
            written.append("v" + _joined(steps[1:], unit))
        else:
            written.append("l" + _joined(steps, unit))
    return re.sub(
        r"([hv])([\d.]+)(?:\1[\d.]+)+|([hv])-([\d.]+)(?:\3-[\d.]+)+", _onward, "".join(written)
    )


def _onward(found: re.Match[str]) -> str:
    """Ways straight on in one direction as one."""
    command = found[0][0]
    total = sum(round(float(n), 2) for n in found[0].split(command)[1:])
    return command + _joined([round(100 * total)], 100)


def _joined(numbers: Sequence[int], unit: int) -> str:
    """Numbers behind one another, a space only where a sign does not part them."""
    texts = [re.sub(r"^(-?)0\.", r"\1.", f"{n / unit:.2f}".rstrip("0").rstrip(".")) for n in numbers]
    return re.sub(r" (?=-)", "", " ".join(texts))


_UNSEEN = r'<path d="[^"]*"(?: clip-path="[^"]*")? style="fill:none"/>'
_CELL = r'<path d="([^"]*)"( clip-path="[^"]*")? style="(fill:#[^"]*)"/>'
_SQUARE = re.compile(r"M(\S+) (\S+)L(\S+) \2L\3 ([^L]+)L\1 \4L\1 \2\Z")


def _merged(found: re.Match[str]) -> str:
    """Cells of one colour that follow one another as one outline."""
    outlines: dict[tuple[str, str], list[str]] = {}
    for path, clip, style in re.findall(_CELL, found[0]):
        outlines.setdefault((clip, style), []).append(_SQUARE.sub(r"M\1 \2H\3V\4H\1z", path))
    cells = (f'<path d="{"".join(d)}"{clip} style="{style}"/>' for (clip, style), d in outlines.items())
    return "".join(cells)


def _path(places: str) -> str:
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(places.split()))


def _hundredths(found: re.Match[str]) -> str:
    if found[0].startswith("scale"):
        return found[0]
    short = f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short
