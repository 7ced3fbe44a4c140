"""One style for all drawings, and what makes them safe, small and the same every time."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

from reports.drawing import without_bare_groups

LETTERS = 10.0  # points, of every letter: how small a drawing may be shown follows from it
POINTS = 72  # to an inch
WIDE = 4.4  # inches, at which letters can be read on a phone; what is wider scrolls there
# Colours told apart by the colour-blind and, by their lightness and dashes, in grey.
_INK, _QUIET = "#1c1c1a", "#5f5d57"
_LIGHT = ("#0b62a4", "#b8500a", "#16755a", "#8b4a80")
_DARK = ("#6db3ea", "#eb9a5b", "#5cc0a0", "#cc93c2")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))
LINES: tuple[dict[str, Any], ...] = tuple(
    {"color": color, "linestyle": dash, "linewidth": 1.6}
    for color, dash in zip(_LIGHT, _DASHES, strict=True)
)
MARKS: tuple[dict[str, Any], ...] = (
    {"fmt": "o", "color": _LIGHT[0], "markersize": 4.2, "elinewidth": 1.1, "capsize": 0},
    {
        "marker": "D",
        "linestyle": "none",
        "color": _LIGHT[1],
        "markersize": 4.6,
        "markerfacecolor": "none",
    },
    {"fmt": "o", "color": _INK, "markersize": 3.8, "elinewidth": 1.1, "capsize": 2.2},
)
_WORDS = 4096  # whose outlines a process keeps
_NO_METADATA = {"Date": None, "Creator": None}
_STYLE: dict[str, Any] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "sgtheory",  # a page puts the name of a drawing before each of its own
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": LETTERS,
    "axes.labelsize": LETTERS,
    "axes.titlesize": LETTERS,
    "xtick.labelsize": LETTERS,
    "ytick.labelsize": LETTERS,
    "legend.fontsize": LETTERS,
    "legend.frameon": False,
    "legend.handletextpad": 0.3,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.linewidth": 0.7,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "path.simplify": True,
}
# A drawing that stands alone, as in Markdown, finds its own colours in the dark.
_RULES = (
    f"\n<style>.sg-plot{{color:{_INK}}}@media screen and (prefers-color-scheme:dark){{.sg-plot{{"
    + "color:#e3e1da;--quiet:#a5a29a;"
    + "".join(f"--plot-{n}:{color};" for n, color in enumerate(_DARK, start=1))
    + "}}</style>"
)


def ink() -> str:
    """The colour of text and axes."""
    return _INK


def quiet() -> str:
    """The colour of what stands behind."""
    return _QUIET


def logarithmic(axes: Any, x: bool, y: bool) -> None:
    """Logarithmic scales where they are asked for, once everything is drawn.

    Where fewer than two powers of ten are in sight, 2 and 5 between them are named as well, so that
    names never touch.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator

    for wanted, axis, scale in ((x, axes.xaxis, axes.set_xscale), (y, axes.yaxis, axes.set_yscale)):
        if not wanted:
            continue
        scale("log")
        low, high = axis.get_view_interval()
        if high < 100 * low:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high > 4 * low else range(1, 10)))
            axis.set_major_formatter(FuncFormatter(lambda value, place: decimal(value)))
            axis.set_minor_formatter(FuncFormatter(lambda value, place: ""))


def decimal(value: float) -> str:
    """A number on an axis.

    >>> decimal(200.0), decimal(2e-5), decimal(1e-5)
    ('200', '$2\\\\times10^{-5}$', '$10^{-5}$')
    """
    if 1e-3 <= value < 1e5:
        return f"{value:g}"
    digits, _, power = f"{value:.2e}".partition("e")
    digits = digits.rstrip("0").rstrip(".")
    factor = "" if digits == "1" else rf"{digits}\times"
    return f"${factor}10^{{{int(power)}}}$"


@contextmanager
def canvas(width: float, height: float) -> Iterator[Any]:
    """An empty drawing of a size in inches, in our style."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    style: Any = _STYLE
    with rc_context(style):
        yield Figure(figsize=(width, height), layout="constrained")


def _printed(figure: Any) -> str:
    """What Matplotlib writes: laid out once and drawn once, where ``savefig`` draws twice."""
    from matplotlib.backends import backend_svg

    backend: Any = backend_svg
    for shown in (figure, *figure.axes):  # a page's own colour is behind
        shown.patch.set_facecolor("none")
    written, figure.dpi = io.StringIO(), POINTS
    wide, tall = POINTS * figure.get_size_inches()
    renderer = backend.RendererSVG(wide, tall, written, metadata=_NO_METADATA)
    renderer._text2path = _letters_of_all()
    canvas = backend.FigureCanvasSVG(figure)
    canvas.get_renderer = lambda: renderer
    figure.draw(renderer)
    renderer.finalize()
    return written.getvalue()


@cache
def _letters_of_all() -> Any:
    """The outlines and sizes of words, found once in a process: most stand in many drawings."""
    from matplotlib.textpath import TextToPath

    letters: Any = TextToPath()
    letters.mathtext_parser.parse = lru_cache(_WORDS)(letters.mathtext_parser.parse)
    letters.get_text_width_height_descent = lru_cache(_WORDS)(letters.get_text_width_height_descent)
    return letters


def finish(figure: Any) -> str:
    """The drawing as SVG, without dates, with colours that a page may change."""
    svg = _printed(figure)
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = svg.replace("xlink:href=", "href=").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace(_INK, "currentColor").replace(_QUIET, f"var(--quiet, {_QUIET})")
    for n, color in enumerate(_LIGHT, start=1):
        svg = svg.replace(color, f"var(--plot-{n}, {color})")
    svg = _small(svg.replace("*{stroke-linejoin", ".sg-plot *{stroke-linejoin"))
    return svg.replace("<svg ", '<svg class="sg-plot" ', 1).replace(">", f">{_RULES}", 1)


def _small(svg: str) -> str:
    """The same drawing in a third of the letters: hundredths of a point, names only where they are used.

    >>> _small('<g id="axes_1">\\n  <path d="M 1.23456 2 \\nL -0.001 2 \\n" style="fill: none"/>\\n</g>')
    '<path d="M1.23 2h-1.23" style="fill:none"/>'
    """
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", svg)
    svg = re.sub(r"scale\([^)]*\)|-?\d+\.\d{3,}", _hundredths, svg)
    svg = re.sub(r' d="([^"]*)"', lambda m: f' d="{_path(m[1])}"', svg)
    svg = re.sub(r' style="[^"]*"', lambda m: re.sub(r"([:;]) ", r"\1", m[0]), svg)
    svg = re.sub(rf"({_CELL}){{2,}}", _merged, re.sub(r">\s+<", "><", svg))
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
_SIZES = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "C": 6, "z": 0}


def _relative(path: str, factor: float = 1.0) -> str:
    """An outline by the way from point to point, in hundredths or, where it is scaled, in whole units.

    >>> _relative("M10 20L10 30L12.5 31C1 2 3 4 12 31zM0 0H3V1z")
    'M10 20v10l2.5 1c-11.5-29-9.5-27-.5 0zM0 0h3v1z'
    >>> _relative("M80 0L160 8L240 0z", 0.125)
    'M10 0l10 1l10-1z'
    """
    unit = 100 if factor == 1.0 else 1
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


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Data as CSV text, in ten digits: more than any drawing shows.

    >>> table(("x", "y"), ((0.5, None), (1 / 3, 2)))
    'x,y\\n0.5,\\n0.3333333333,2\\n'
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(_written, row) for row in rows)
    return written.getvalue()


def _written(value: Any) -> Any:
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else value
