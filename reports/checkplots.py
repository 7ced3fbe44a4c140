"""Drawings of a check: what a foreign sampler did against the exact law, problem by problem."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reports.document import Figure
from reports.plotting import LETTERS, LINES, MARKS, WIDE, canvas, finish, ink, quiet, table

Array = Any

_ACROSS, _MOST = 2, 12  # panels in a row, and in a drawing
_STEEP = 30.0  # where a measured value is this many times the largest exact one, logarithms are drawn
_CAP = 38.0  # standard normal scores beyond which a double holds no probability
_EDGE = 64  # points on an ellipse
_LANE = 0.86  # of the width that a problem has among the scores
_BEYOND = 1e12  # drawn no further out than this many times the exact value


@dataclass(frozen=True)
class Shown:
    """A case whose positions have a law: what was measured at its times, and the law at every step."""

    name: str
    D: int
    times: tuple[int, ...]
    chains: int
    mean: Array
    covariance: Array
    exact_mean: Array  # at the times, as measured
    exact_covariance: Array
    steps: tuple[int, ...]
    course_mean: Array  # at every step
    course_covariance: Array
    coordinate: int  # the one that is farthest off


def shown(outcome: Any, like: str) -> Shown | None:
    """What can be drawn of an outcome; None where it has no law or no measurement."""
    from verification.checking.cases import law_of
    from verification.checking.protocol import LAW

    one, law, case = outcome.measured, outcome.expected, outcome.case
    if outcome.kind != LAW or outcome.comparison is None or law is None or one.mean is None:
        return None
    size = len(case.times) * case.D
    if np.shape(one.mean) != (size,) or np.shape(law.mean) != (size,):
        return None
    steps = tuple(range(1, max(case.times) + 1))
    course = law_of(like, replace(case, times=steps))
    sigma = np.sqrt(np.clip(np.diag(law.covariance), 1e-300, None))
    with np.errstate(all="ignore"):
        away = np.abs(one.mean - law.mean) / sigma + np.abs(np.diag(one.covariance) / sigma**2 - 1)
    worst = int(np.argmax(np.nan_to_num(away, nan=np.inf))) % case.D
    measured = (one.chains, np.asarray(one.mean), np.asarray(one.covariance))
    exact = (law.mean, law.covariance, steps, course.mean, course.covariance)
    return Shown(case.name, case.D, case.times, *measured, *exact, worst)


@dataclass(frozen=True)
class _Panel:
    """One curve with what was measured of it."""

    title: str
    coordinate: int
    steps: tuple[int, ...]
    exact: tuple[float, ...]
    times: tuple[int, ...]
    measured: tuple[float, ...]
    errors: tuple[float, ...]


def means(found: Sequence[Shown]) -> Figure:
    """The mean of a coordinate over the steps, a panel for each problem."""
    panels = []
    for s in found:
        at, along = slice(s.coordinate, None, s.D), s.mean[s.coordinate :: s.D]
        errors = np.sqrt(np.diag(s.exact_covariance)[at] / s.chains)
        panels.append(_panel(s, s.course_mean[at], along, errors))
    return _grid(panels, "means", "mean", "mean", log=False)


def deviations(found: Sequence[Shown]) -> Figure:
    """The standard deviation of a coordinate over the steps, a panel for each problem."""
    panels = []
    for s in found:
        at = slice(s.coordinate, None, s.D)
        exact = np.sqrt(np.clip(np.diag(s.course_covariance)[at], 0, None))
        along = np.sqrt(np.clip(np.diag(s.covariance)[at], 0, None))
        errors = np.sqrt(np.clip(np.diag(s.exact_covariance)[at], 0, None) / (2 * s.chains))
        panels.append(_panel(s, exact, along, errors))
    return _grid(panels, "deviations", "standard deviation", "standard deviation", log=True)


def correlations(found: Sequence[Shown]) -> Figure | None:
    """The correlation of a coordinate with itself at an early step, a panel for each problem."""
    panels = []
    for s in found:
        variances = np.diag(s.exact_covariance)[s.coordinate :: s.D]
        moving = [t for t, v in zip(s.times, variances, strict=True) if v > 0]
        if len(moving) > 1:
            since = moving[0]
            exact = _correlation(s, s.course_covariance, s.steps, since)
            along = _correlation(s, s.covariance, s.times, since)
            at = [s.steps.index(t) for t in moving]
            errors = (1 - np.clip(exact[at], -1, 1) ** 2) / math.sqrt(s.chains)
            kept = [s.times.index(t) for t in moving]
            one = replace(s, times=tuple(moving), name=f"{_short(s.name)}, from step {since}")
            panels.append(_panel(one, exact, along[kept], errors))
    words = "correlation with itself at an early step"
    return _grid(panels, "autocorrelations", "autocorrelation", words, log=False) if panels else None


def _correlation(s: Shown, covariance: Array, steps: tuple[int, ...], since: int) -> Array:
    """Of one coordinate at all steps with itself at one."""
    at = covariance[s.coordinate :: s.D, s.coordinate :: s.D]
    sigma, first = np.sqrt(np.clip(np.diag(at), 0, None)), steps.index(since)
    with np.errstate(all="ignore"):
        return np.nan_to_num(at[first] / (sigma[first] * sigma))


def _panel(s: Shown, exact: Array, along: Array, errors: Array) -> _Panel:
    numbers = (tuple(float(x) for x in values) for values in (exact, along, errors))
    curve, measured, spread = numbers
    return _Panel(s.name, s.coordinate + 1, s.steps, curve, s.times, measured, spread)


def _grid(panels: Sequence[_Panel], name: str, label: str, words: str, log: bool) -> Figure:
    some = panels[:_MOST]
    across = min(_ACROSS, len(some))
    down = math.ceil(len(some) / across)
    with canvas(WIDE if across == _ACROSS else WIDE / 2, 0.45 + 1.32 * down) as figure:
        axes = np.atleast_1d(figure.subplots(down, across, sharex=True, squeeze=False)).ravel()
        for place, panel in zip(axes, some, strict=False):
            _draw(place, panel, log)
        for place in axes[len(some) :]:
            place.set_visible(False)
        figure.supxlabel("step", fontsize=LETTERS)
        figure.supylabel(label, fontsize=LETTERS)
        svg = finish(figure)
    caption = (
        f"The {words} of one coordinate, that which is farthest off, at each step: the line is exact,"
        " the dots are measured, with one standard error to each side (often less than the dot)."
    )
    if len(some) < len(panels):
        caption += f" The first {len(some)} of {len(panels)} problems; all are in the data."
    return Figure(svg, _alt(panels, words), caption, _data(panels), name)


def _short(name: str) -> str:
    """A problem's name without its dimension."""
    return re.sub(r", D = \d+", "", name)


def _draw(axes: Any, panel: _Panel, log: bool) -> None:
    top = max(map(abs, panel.exact)) or 1.0
    seen = [max(-_BEYOND * top, min(_BEYOND * top, y)) for y in panel.measured]
    axes.plot(panel.steps, panel.exact, **LINES[0])
    axes.errorbar(panel.times, seen, yerr=panel.errors, **{**MARKS[2], "markersize": 3.2})
    axes.set_title(f"{_short(panel.title)}: $x_{{{panel.coordinate}}}$", pad=3)
    axes.tick_params(length=2.5, pad=2)
    far = max(map(abs, seen)) / top
    if far > _STEEP:
        axes.set_yscale("log") if log and min(seen) > 0 else axes.set_yscale("symlog", linthresh=top)
    else:
        axes.locator_params(axis="y", nbins=4)
    axes.margins(y=0.12)


def _alt(panels: Sequence[_Panel], words: str) -> str:
    def gap(panel: _Panel) -> float:
        pairs = zip(panel.times, panel.measured, panel.errors, strict=True)
        exact = dict(zip(panel.steps, panel.exact, strict=True))
        return max((abs(y - exact[t]) / e if e > 0 else 0.0 for t, y, e in pairs), default=0.0)

    worst = max(panels, key=gap)
    return (
        f"The measured {words} against the exact one in {len(panels)} problems; the largest distance is"
        f" {min(gap(worst), 9e99):.3g} standard errors, in {worst.title}."
    )


def _data(panels: Sequence[_Panel]) -> str:
    rows: list[tuple[Any, ...]] = []
    for p in panels:
        measured = dict(zip(p.times, zip(p.measured, p.errors, strict=True), strict=True))
        for step, exact in zip(p.steps, p.exact, strict=True):
            rows.append((p.title, p.coordinate, step, exact, *measured.get(step, (None, None))))
    return table(("problem", "coordinate", "step", "exact", "measured", "standard_error"), rows)


def ellipses(found: Sequence[Shown]) -> Figure | None:
    """Where two standard deviations reach in two dimensions after the last step, exact and measured."""
    some = [s for s in found if s.D == 2][:_ACROSS]
    if not some:
        return None
    rows: list[tuple[Any, ...]] = []
    with canvas(0.4 + 2.0 * len(some), 2.5) as figure:
        for axes, s in zip(np.atleast_1d(figure.subplots(1, len(some))), some, strict=True):
            last = slice(-2, None)
            pairs = (
                ("exact", s.exact_mean[last], s.exact_covariance[last, last], LINES[0]),
                ("measured", s.mean[last], s.covariance[last, last], LINES[1]),
            )
            for label, mean, covariance, style in pairs:
                entries = (covariance[0, 0], covariance[0, 1], covariance[1, 1])
                rows.append((s.name, label, s.times[-1], *map(float, (*mean, *entries))))
                axes.plot(*_ellipse(mean, covariance), label=label, **style)
                axes.plot(*mean, "+" if label == "exact" else "x", color=style["color"], markersize=5)
            axes.set_title(s.name, pad=3)
            axes.set_aspect("equal", adjustable="datalim")
            axes.tick_params(length=2.5, pad=2)
            axes.locator_params(nbins=4)
            axes.set_xlabel("$x_1$")
        figure.axes[0].set_ylabel("$x_2$")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
        svg = finish(figure)
    ratios = ", ".join(f"{_areas(s):.3g}" for s in some)
    alt = f"Ellipses of the exact and the measured covariance in {len(some)} problems in two dimensions."
    alt += f" The measured area is {ratios} times the exact one."
    caption = "Two standard deviations round the mean after the last step, in the problems with D = 2."
    header = ("problem", "which", "step", "mean_1", "mean_2", "cov_11", "cov_12", "cov_22")
    return Figure(svg, alt, caption, table(header, rows), "ellipses")


def _ellipse(mean: Array, covariance: Array) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    angle = np.linspace(0, 2 * math.pi, _EDGE + 1)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    return np.asarray(mean)[:, None] + 2 * (vectors * np.sqrt(np.clip(values, 0, None))) @ circle


def _areas(s: Shown) -> float:
    with np.errstate(all="ignore"):
        ratio = np.linalg.det(s.covariance[-2:, -2:]) / np.linalg.det(s.exact_covariance[-2:, -2:])
    return float(np.sqrt(max(ratio, 0))) if math.isfinite(ratio) else math.inf


def score(test: Any) -> float:
    """A test's p-value as a standard normal score with the sign of its effect, at most 38."""
    from scipy.stats import norm

    found = float(norm.isf(test.p_value / 2)) if test.p_value > 0 else _CAP
    return math.copysign(min(found, _CAP), test.effect)


def scores(outcomes: Sequence[Any]) -> Figure:
    """Every test as a dot, and the lines beyond which a single one rejects."""
    from scipy.stats import norm

    rows: list[tuple[Any, ...]] = []
    with canvas(WIDE, 3.0) as figure:
        axes = figure.subplots()
        axes.axhline(0, color=quiet(), linewidth=0.7)
        compared = [o for o in outcomes if o.comparison is not None]
        for k, outcome in enumerate(compared):
            tests, count = outcome.comparison.tests, len(outcome.comparison.tests)
            heights = [score(t) for t in tests]
            line = float(norm.isf(outcome.comparison.threshold / 2))
            places = [k + _LANE * ((i + 0.5) / count - 0.5) for i in range(count)]
            axes.scatter(places, heights, s=5, color=LINES[k % 2]["color"], linewidths=0)
            for side in (-line, line):
                axes.hlines(side, k - 0.5, k + 0.5, color=ink(), linewidth=0.8)
            cells = zip(tests, heights, strict=True)
            rows += [(outcome.case.name, t.name, z, t.p_value, t.effect, line) for t, z in cells]
        reach = max(8.0, *(abs(r[2]) for r in rows)) * 1.06
        axes.set(ylim=(-reach, reach), xlim=(-0.6, len(compared) - 0.4))
        axes.set(ylabel="standard normal score", xlabel=f"{len(rows):,} tests, problem by problem")
        axes.set_xticks(range(len(compared)))
        axes.set_xticklabels([o.case.name.partition(",")[0].split()[-1] for o in compared])
        axes.tick_params(axis="x", length=0)
        svg = finish(figure)
    far = sum(abs(r[2]) > r[5] for r in rows)
    alt = f"{len(rows)} tests as standard normal scores; {far} of them lie beyond the rejection lines."
    caption = (
        "Every test's p-value as a standard normal score, with the sign of the deviation, a column"
        " for each problem. Beyond the lines a single test rejects. Scores end at"
        f" {_CAP:g}."
    )
    header = ("problem", "test", "score", "p_value", "effect", "rejects_beyond")
    return Figure(svg, alt, caption, table(header, rows), "scores")
