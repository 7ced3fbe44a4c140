"""The figures of experiments: series, clouds with ellipses, and matrices in colours, with their data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from reports.document import Figure
from reports.pages.words import typeset
from reports.plotting import LINES, MARKS, WIDE, canvas, finish, logarithmic, quiet, table
from sgtheory.notation.sentence import sentence
from verification.experiments.record import Clouds, Heat, Line, Plot

_TURN = 64  # corners of an ellipse
_REACH = 3.0  # standard deviations
_SHOWN = 400  # points of a cloud; all are in the data
_MARKED = 40  # points that are drawn as marks; more are a line
_JOINED = 12  # of marks without errors; more are joined by a thin line
_SHAPES = ("o", "^", "s", "v")
_OVER_AXES = 54  # letters over the axes
# over shades colours stay as they are in the dark
_OVER: tuple[tuple[str, Any], ...] = (
    ("#000000", "-"), ("#b3261e", (0, (5, 2))),
    ("#1f4fd8", (0, (1.2, 1.6))), ("#555555", (0, (6, 2, 1, 2))),
)  # fmt: skip
_SHADES = "cividis"  # read in grey and by the colour-blind
_LEVELS = 64  # of shades


@singledispatch
def drawn(plot: Any) -> Figure:
    """The figure of a plot."""
    raise TypeError(plot)


@drawn.register
def _(plot: Plot) -> Figure:
    with canvas(WIDE, 3.1) as figure:
        axes = figure.subplots()
        groups = list(dict.fromkeys(_group(line) for line in plot.lines))
        for line in plot.lines:
            _series(axes, line, groups.index(_group(line)))
        axes.set(xlabel=plot.x_label, ylabel=plot.y_label)
        logarithmic(axes, plot.log_x, plot.log_y)
        _legend(axes, groups)
        svg = finish(figure)
    rows = [
        (line.label, line.kind, a, b, line.error[k] if line.error else None)
        for line in plot.lines
        for k, (a, b) in enumerate(zip(line.x, line.y, strict=True))
    ]
    names = ", ".join(line.label for line in plot.lines)
    return Figure(
        svg, f"{sentence(plot.title)}. Series: {names}.", typeset(plot.title),
        table(("series", "kind", "x", "y", "error"), rows), plot.name,
    )  # fmt: skip


def _group(line: Line) -> str:
    """What comes before the comma: exact and measured values of one thing share a colour."""
    return line.label.partition(", ")[0]


def _series(axes: Any, line: Line, place: int) -> None:
    """Exact ones are drawn through, measured ones are marks with errors, printed ones open marks."""
    style = LINES[place % len(LINES)]
    seen = axes.get_legend_handles_labels()[1]
    label = "_" if _group(line) in seen else _group(line)
    if line.kind == "level":
        axes.plot(line.x, line.y, color=quiet(), linewidth=1.1, linestyle=(0, (4, 3)), label=label)
    elif line.kind == "exact":
        axes.plot(line.x, line.y, **style, label=label)
    elif line.kind == "printed":
        axes.plot(line.x, line.y, **{**MARKS[1], "color": style["color"]}, label=label)
    elif len(line.x) <= _MARKED:
        joined = "-" if not line.error and len(line.x) > _JOINED else ""
        shape = _SHAPES[place // len(LINES) % len(_SHAPES)]  # as colours begin again
        marks = {**MARKS[0], "color": style["color"], "fmt": shape + joined, "linewidth": 0.8}
        axes.errorbar(line.x, line.y, yerr=line.error or None, **marks, label=label)
    else:
        thin = {**style, "linewidth": 1.1}
        axes.plot(line.x, line.y, **thin, label=label)
        if line.error:
            low, high = ([y + s * e for y, e in zip(line.y, line.error, strict=True)] for s in (-1, 1))
            axes.fill_between(line.x, low, high, color=style["color"], alpha=0.2, linewidth=0)


def _legend(axes: Any, names: Sequence[str]) -> None:
    """Above the axes, in as many columns as there is room for."""
    columns = max(1, min(len(names), _OVER_AXES // (max(map(len, names)) + 6)))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderaxespad=0.2)


@drawn.register
def _(plot: Clouds) -> Figure:
    with canvas(WIDE, 3.9) as figure:
        axes = figure.subplots()
        for place, (label, points) in enumerate(plot.points.items()):
            kept = points[:: max(1, len(points) // _SHOWN)]
            color = LINES[place % len(LINES)]["color"]
            _dots(axes, kept, color)
            axes.plot([], [], ".", color=color, markersize=4, label=label)
        for place, (label, kind, centre, covariance) in enumerate(plot.ellipses):
            style = {**LINES[(place + len(plot.points)) % len(LINES)]}
            style["linewidth"] = 1.8 if kind == "exact" else 1.2
            axes.plot(*_ellipse(centre, covariance), **style, label=label)
        axes.set(xlabel=plot.x_label, ylabel=plot.y_label)
        _legend(axes, [*plot.points, *(e[0] for e in plot.ellipses)])
        svg = finish(figure)
    rows: list[tuple[Any, ...]] = [
        ("points", label, a, b, None, None, None)
        for label, points in plot.points.items()
        for a, b in points
    ]
    rows += [
        (kind, label, *centre, cov[0][0], cov[0][1], cov[1][1])
        for label, kind, centre, cov in plot.ellipses
    ]
    header = ("kind", "label", "x", "y", "variance_x", "covariance", "variance_y")
    names = ", ".join([*plot.points, *(e[0] for e in plot.ellipses)])
    return Figure(
        svg, f"{plot.title}. Shown: {names}. Ellipses are three standard deviations.",
        typeset(plot.title), table(header, rows), plot.name,
    )  # fmt: skip


def _dots(axes: Any, points: Sequence[tuple[float, float]], color: str) -> None:
    """Points as one outline: a mark for each would fill pages."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    corners = [corner for point in points for corner in (point, point)]
    outline = Path(corners, [Path.MOVETO, Path.LINETO] * len(points))
    outline.should_simplify = False
    style: dict[str, Any] = {"edgecolor": color, "linewidth": 2, "capstyle": "round", "alpha": 0.5}
    axes.add_patch(PathPatch(outline, fill=False, **style))
    axes.autoscale_view()


def _ellipse(centre: Any, covariance: Any) -> tuple[list[float], list[float]]:
    """Three standard deviations round a centre, by the Cholesky factor."""
    (a, b), (_, c) = covariance
    first = math.sqrt(a)
    below = b / first
    second = math.sqrt(max(c - below**2, 0.0))
    turns = [2 * math.pi * k / _TURN for k in range(_TURN + 1)]
    x = [centre[0] + _REACH * first * math.cos(t) for t in turns]
    y = [centre[1] + _REACH * (below * math.cos(t) + second * math.sin(t)) for t in turns]
    return x, y


@drawn.register
def _(plot: Heat) -> Figure:
    many = len(plot.panels)
    values = [v for m in plot.panels.values() for row in m for v in row if math.isfinite(v)]
    low, high = min(values), max(values)
    across, tall = (1, 2.9) if plot.lines else (min(many, 2), 2.1)  # what is wider scrolls on a phone
    down = -(-many // across)
    wide = WIDE if plot.lines or across > 1 else 0.65 * WIDE
    with canvas(wide, tall * down + 0.3 * bool(plot.lines)) as figure:
        shown = figure.subplots(down, across, squeeze=False).ravel()
        for spare in shown[many:]:
            spare.set_axis_off()
        shown = shown[:many]
        for axes, (label, matrix) in zip(shown, plot.panels.items(), strict=True):
            _panel(axes, plot, matrix, low, high)
            axes.set_title(label, color=quiet())
            _over(axes, plot.lines)
            axes.set_ylabel(plot.y_label)
        if plot.lines:
            handles, names = shown[0].get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=min(len(names), 2))
        bar = figure.colorbar(shown[-1].collections[0], ax=list(shown), shrink=0.9, label=plot.of)
        bar.solids.set_rasterized(False)  # an image would not be taken into a page
        svg = finish(figure)
    rows: list[tuple[Any, ...]] = [
        (label, plot.x[j] if plot.x else j + 1, plot.y[i] if plot.y else i + 1, v)
        for label, m in plot.panels.items()
        for i, row in enumerate(m)
        for j, v in enumerate(row)
    ]
    rows += [
        (line.label, a, b, None) for line in plot.lines for a, b in zip(line.x, line.y, strict=True)
    ]
    alt = f"{plot.title}. Panels: {', '.join(plot.panels)}."
    if plot.lines:
        alt += f" Lines: {', '.join(line.label for line in plot.lines)}."
    return Figure(svg, alt, typeset(plot.title), table(("panel", "x", "y", "value"), rows), plot.name)


def _panel(axes: Any, plot: Heat, matrix: Any, low: float, high: float) -> None:
    """Squares of colour: vector, so that nothing is blurred."""
    from matplotlib import colormaps

    rows, columns = len(matrix), len(matrix[0])
    x = plot.x or tuple(range(1, columns + 1))
    y = plot.y or tuple(range(1, rows + 1))
    # many cells share edges, along which the page would shine through
    closed: dict[str, Any] = {"edgecolors": "face", "linewidth": 0.4} if plot.lines else {}
    shades = colormaps[_SHADES].resampled(_LEVELS)
    axes.pcolormesh(x, y, matrix, vmin=low, vmax=high, cmap=shades, shading="nearest", **closed)
    axes.set(xlabel=plot.x_label, ylabel=plot.y_label)
    if plot.log_x:
        axes.set_xscale("log")
    if plot.log_y:
        axes.set_yscale("log")
    if not plot.y:
        axes.invert_yaxis()


def _over(axes: Any, lines: Sequence[Line]) -> None:
    """Lines and marks with a white rim, which is seen on every shade; they do not widen the axes."""
    from matplotlib.patheffects import withStroke

    ends = axes.get_xlim(), axes.get_ylim()
    for place, line in enumerate(lines):
        color, dash = _OVER[place % len(_OVER)]
        if line.kind == "measured":
            style: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 5}
            style |= {"markerfacecolor": "#ffffff", "markeredgecolor": "#000000"}
        else:
            rim = [withStroke(linewidth=3.4, foreground="#ffffff")]
            style = {"color": color, "linestyle": dash, "linewidth": 1.6, "path_effects": rim}
        axes.plot(line.x, line.y, label=line.label, **style)
    axes.set(xlim=ends[0], ylim=ends[1])
