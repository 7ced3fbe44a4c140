"""One style for all drawings, and what makes them safe, small and the same every time."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

from reports.smaller import small

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
    svg = small(svg.replace("*{stroke-linejoin", ".sg-plot *{stroke-linejoin"))
    return svg.replace("<svg ", '<svg class="sg-plot" ', 1).replace(">", f">{_RULES}", 1)


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
