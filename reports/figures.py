"""Figures: exact curves, and measurements against what was predicted, as drawings with their data.

Every drawing is vector, reads in grey and by the colour-blind, follows a page into dark mode, and is the
same to the byte whenever it is drawn from the same numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from reports.document import Figure, Text
from reports.plotting import LINES, MARKS, WIDE, canvas, finish, ink, logarithmic, quiet, table
from sgtheory.errors import UnusableInput

_GREEK = ("Sigma", "Theta", "Omega", "theta", "sigma", "lambda", "xi", "rho", "tau", "mu")
_DRAWINGS = 256  # that a process keeps
_MANY = 36  # points above which labels could no longer be read


def measured_against_predicted(
    points: Sequence[Mapping[str, Any]],
    name: str = "measured",
    caption: Text = "",
    threshold: float | None = None,
) -> Figure:
    """How far each measurement is from the exact value, in standard errors and in per cent.

    Each point has ``label``, ``measured``, ``standard_error`` and ``exact``, and may have ``printed``,
    the value that a paper's formula gives. ``threshold`` is the number of standard errors that would
    reject.
    """
    rows = [_point(point) for point in points]
    if not rows:
        raise UnusableInput("points to draw", "none", "leave the figure out")
    svg, with_printed = _against(tuple(tuple(row.items()) for row in rows), threshold)
    told = caption or _told(with_printed, threshold)
    header = ("label", "measured", "standard_error", "exact", "printed")
    data = table(header, [tuple(row[key] for key in header) for row in rows])
    return Figure(svg, _seen(rows), told, data, name)


@lru_cache(_DRAWINGS)
def _against(points: tuple[Any, ...], threshold: float | None) -> tuple[str, bool]:
    """The drawing of such points, and whether printed values are shown."""
    rows = [dict(point) for point in points]
    with canvas(WIDE, 2 * (0.75 + 0.23 * min(len(rows), _MANY))) as figure:
        above, below = figure.subplots(2, 1, sharey=True)
        _deviations(above, rows, threshold)
        with_printed = _relative(below, rows)
        for axes in (above, below):
            axes.tick_params(axis="y", length=0)
            _name_rows(axes, rows)
        return finish(figure), with_printed


def _point(point: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"label": str(point["label"])}
    for key in ("measured", "standard_error", "exact", "printed"):
        value = point.get(key)
        row[key] = None if value is None and key == "printed" else float(value)  # type: ignore[arg-type]
    if not row["standard_error"] > 0:
        got = f"{row['standard_error']!r} at {row['label']}"
        raise UnusableInput("a positive standard error at every point", got, "measure with more chains")
    row["deviation"] = (row["measured"] - row["exact"]) / row["standard_error"]
    return row


def _deviations(axes: Any, rows: list[dict[str, Any]], threshold: float | None) -> None:
    places = range(len(rows))
    for width in (2, 1):
        axes.axvspan(-width, width, color=quiet(), alpha=0.1, linewidth=0)
    axes.axvline(0, color=ink(), linewidth=0.7)
    values = [row["deviation"] for row in rows]
    axes.errorbar(values, places, xerr=1, **MARKS[0])
    reach = max(3.0, *(abs(v) + 1.4 for v in values))
    if threshold is not None:
        for side in (-threshold, threshold):
            axes.axvline(side, color=quiet(), linewidth=0.8, linestyle=(0, (4, 3)))
        reach = max(reach, threshold * 1.12)
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("measured − exact, in standard errors")


def _relative(axes: Any, rows: list[dict[str, Any]]) -> bool:
    """Per cent of the exact value; whether printed values are shown too."""
    scale = [abs(row["exact"]) or max(abs(r["exact"]) for r in rows) or 1.0 for row in rows]
    places = range(len(rows))
    axes.axvline(0, color=ink(), linewidth=0.7)
    measured = [100 * (r["measured"] - r["exact"]) / s for r, s in zip(rows, scale, strict=True)]
    errors = [100 * r["standard_error"] / s for r, s in zip(rows, scale, strict=True)]
    axes.errorbar(measured, places, xerr=errors, **MARKS[0], label="measured")
    printed = [
        (100 * (r["printed"] - r["exact"]) / s, k)
        for k, (r, s) in enumerate(zip(rows, scale, strict=True))
        if r["printed"] is not None
    ]
    if printed:
        axes.plot(*zip(*printed, strict=True), **MARKS[1], label="as stated")
        shown = axes.get_legend_handles_labels()
        axes.legend(
            *(part[::-1] for part in shown), loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2
        )
    axes.set_xlabel("difference from the exact value, %")
    axes.margins(x=0.12)
    return bool(printed)


def _name_rows(axes: Any, rows: list[dict[str, Any]]) -> None:
    axes.set_ylim(len(rows) - 0.4, -0.6)
    if len(rows) > _MANY:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(rows)} quantities")
        return
    axes.set_yticks(range(len(rows)))
    for tick, row in zip(
        axes.set_yticklabels([_shown(row["label"]) for row in rows]), rows, strict=True
    ):
        tick.set_parse_math(tick.get_text() != row["label"])


def label_latex(label: str) -> str | None:
    r"""The formula that a label such as ``P_12`` or ``Sigma[0][1]`` stands for, if it is such a label.

    >>> label_latex("Sigma[0][1]")
    '\\Sigma_{12}'
    """
    found = re.fullmatch(r"([A-Za-z]+)(?:_(\w+)|\[(\d)\]\[(\d)\])", label)
    if not found or (len(found[1]) > 1 and found[1] not in _GREEK):
        return None
    letter = found[1] if len(found[1]) == 1 else rf"\{found[1]}"
    index = found[2] or f"{int(found[3]) + 1}{int(found[4]) + 1}"
    return f"{letter}_{{{index}}}"


def _shown(label: str) -> str:
    formula = label_latex(label)
    return label if formula is None else f"${formula}$"


def _told(with_printed: bool, threshold: float | None) -> str:
    told = (
        "Above: measured minus exact, in standard errors; the bands are one and two of them."
        " Below: the same in per cent of the exact value, with one standard error to each side"
    )
    told += ", and what the stated formula gives." if with_printed else "."
    return told if threshold is None else f"{told} Beyond the dashed lines the law would be rejected."


def _seen(rows: list[dict[str, Any]]) -> str:
    worst = max(rows, key=lambda row: abs(row["deviation"]))
    return (
        f"{len(rows)} measured quantities against their exact values; the largest deviation is"
        f" {worst['deviation']:.2f} standard errors, at {worst['label']}."
    )


def curve(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    name: str,
    alt: str,
    x_label: str,
    y_label: str,
    caption: Text = "",
    measured: Sequence[tuple[float, float, float]] = (),
    limit: tuple[float, str] | None = None,
    log_x: bool = False,
    log_y: bool = False,
) -> Figure:
    r"""Exact curves over a step size or an angle, with measured points ``(x, y, standard error)``.

    ``limit`` is a place on the axis, such as the end of stability, and its name. Labels of axes, lines
    and limit may hold simple formulas between dollars, such as ``$\epsilon$``. Values that are not
    finite leave a gap.
    """
    for label, values in lines.items():
        if len(values) != len(x):
            raise UnusableInput(f"{len(x)} values of {label!r}", str(len(values)), "give one for each x")
    shown = tuple((label, tuple(values)) for label, values in lines.items())
    labels, scales = (x_label, y_label), (log_x, log_y)
    svg = _curves(tuple(x), shown, labels, tuple(map(tuple, measured)), limit, scales)
    return Figure(svg, alt, caption, _curve_data(x, lines, measured), name)


@lru_cache(_DRAWINGS)
def _curves(
    x: tuple[float, ...],
    lines: tuple[tuple[str, tuple[float, ...]], ...],
    labels: tuple[str, str],
    measured: tuple[tuple[float, ...], ...],
    limit: tuple[float, str] | None,
    scales: tuple[bool, bool],
) -> str:
    """The drawing: claims on one sampler are often held against one law."""
    with canvas(WIDE, 2.9) as figure:
        axes = figure.subplots()
        for place, (_, values) in enumerate(lines):
            axes.plot(x, values, **LINES[place % len(LINES)])
        if measured:
            at, seen, errors = zip(*measured, strict=True)
            axes.errorbar(at, seen, yerr=errors, **MARKS[2])
        axes.set(xlabel=labels[0], ylabel=labels[1])
        logarithmic(axes, *scales)
        axes.margins(x=0.02)
        if limit:
            _mark_limit(axes, *limit)
        _name_lines(axes, x, dict(lines))
        return finish(figure)


def _mark_limit(axes: Any, place: float, name: str) -> None:
    axes.axvline(place, color=quiet(), linewidth=0.8, linestyle=(0, (4, 3)))
    axes.annotate(
        name, (place, 1), (0, 3), xycoords=("data", "axes fraction"), textcoords="offset points",
        ha="center", va="bottom", color=quiet(),
    )  # fmt: skip


def _name_lines(axes: Any, x: Sequence[float], lines: Mapping[str, Sequence[float]]) -> None:
    """Each line's name at its right end, moved apart where two would touch."""
    import math

    low, high = axes.get_ylim()
    ends = []
    for place, (label, values) in enumerate(lines.items()):
        shown = [(a, b) for a, b in zip(x, values, strict=True) if math.isfinite(b)]
        if shown:
            at = axes.transData.transform((shown[-1][0], min(max(shown[-1][1], low), high)))
            ends.append((axes.transAxes.inverted().transform(at)[1], label, place))
    used = -1.0
    for height, label, place in sorted(ends):
        used = max(height, used + 0.085)
        color = LINES[place % len(LINES)]["color"]
        axes.annotate(
            label, (1, used), (5, 0), xycoords="axes fraction", textcoords="offset points",
            va="center", ha="left", color=color,
        )  # fmt: skip


def _curve_data(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    measured: Sequence[tuple[float, float, float]],
) -> str:
    rows: list[tuple[Any, ...]] = []
    for label, values in lines.items():
        rows += [(label, float(a), float(b), None) for a, b in zip(x, values, strict=True)]
    rows += [("measured", float(a), float(b), float(error)) for a, b, error in measured]
    return table(("line", "x", "y", "standard_error"), rows)
