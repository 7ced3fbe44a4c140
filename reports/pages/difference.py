"""How big the difference is: both sides of a statement over a parameter, drawn from exact numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from reports.document import Block, Figure, Heading
from reports.figures import curve, label_latex
from reports.math.writing import formula
from reports.pages.trends import densities, over_the_choice, over_the_way
from reports.pages.words import typeset
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.quantities import TIMES
from sgtheory.numbers.numeric import law, law_or_none
from sgtheory.problem import Problem
from verification.refuter.places import Place

_STEPS = ("eps", "epsilon", "h", "gamma", "eta", "mu", "sigma")  # what a reader would turn first
_COUNTS = frozenset(["N", "S", "T", "n", "p", "D", "d", "L", "M", "K", "k", "m", "t"])
_POINTS = 24
_NOTHING = (ArithmeticError, ValueError, TypeError, LookupError, NotImplementedError, UnusableInput)


def difference(verdict: Any) -> list[Block]:
    """Curves of what is printed and what is exact, with what was measured, where there is something."""
    figures: list[Block] = [
        *over_the_choice(verdict),
        *_over_step(verdict),
        *_over_angle(verdict),
    ] or _over_letter(verdict)
    figures = figures or [*over_the_way(verdict)] or [*densities(verdict)]
    return [Heading(2, "How big the difference is"), *figures] if figures else []


# -- the law of a sampler over its step ---------------------------------------------------------------


def _over_step(verdict: Any) -> list[Block]:
    if not _worth(verdict):
        return []
    claim, data = verdict.claim, verdict.measured.data
    content, place = data["problem"], _farthest(data["points"])
    if "eps" not in content.get("params", {}) or not place:
        return []
    at = float(Fraction(str(content["params"]["eps"])))
    steps = _stable_steps(claim.of, json.dumps(content), at)
    laws = [_entries(claim, _with_step(content, x), place) for x in steps]
    lines = {"exact": [e[0] for e in laws], "continuous time": [e[1] for e in laws]}
    if any(e[2] is not None for e in laws):
        lines["as stated"] = [math.nan if e[2] is None else e[2] for e in laws]
    shown = next(p for p in data["points"] if _indices(p["label"]) == place)
    entry = label_latex(shown["label"]) or shown["label"]
    caption = (
        "On the problem that was measured, over the step: the exact law of the algorithm, that of its"
        " limit in continuous time, and the measured value with its standard error."
    )
    return [
        curve(
            [float(x) for x in steps],
            lines,
            name="over-the-step",
            alt=f"The covariance {shown['label']} over the step size, exact and in continuous time.",
            x_label=r"step size $\epsilon$",
            y_label=f"${entry}$",
            caption=caption,
            measured=((at, shown["measured"], shown["standard_error"]),),
            log_y=_spreads(lines["exact"]),
        )
    ]


def _spreads(values: Sequence[float]) -> bool:
    """Whether a curve is better drawn in decades."""
    return min(values) > 0 and max(values) > 12 * min(values)


def _worth(verdict: Any) -> bool:
    """Whether a law was measured, and differs from what is printed or from its limit."""
    points = verdict.measured.data.get("points", ()) if verdict.measured else ()
    off = verdict.discrete is not None and verdict.discrete.verdict not in ("proved", "confirmed")
    return any(p["limit"] is not None and (off or p["printed"] is not None) for p in points[:1])


def _farthest(points: Sequence[Mapping[str, Any]]) -> tuple[int, int] | None:
    """The entry that is off the most: from what is printed, else from the limit."""
    other = "printed" if points[0]["printed"] is not None else "limit"
    far = max(points, key=lambda p: abs(p["exact"] - p[other]) / (abs(p["exact"]) or 1.0))
    return _indices(far["label"])


def _indices(label: str) -> tuple[int, int] | None:
    digits = [int(c) for c in label if c.isdigit()]
    return (digits[0], digits[1]) if label.startswith("Sigma[") and len(digits) == 2 else None


def _with_step(content: Mapping[str, Any], step: Fraction) -> dict[str, Any]:
    return {**content, "params": {**content["params"], "eps": str(step)}}


@cache
def _stable_steps(of: str, content: str, at: float) -> list[Fraction]:
    """Steps up to nearly the end of stability, or eight times the one that was measured."""
    problem = json.loads(content)
    low, high = Fraction(at).limit_denominator(10**6), Fraction(8 * at).limit_denominator(10**6)
    if not _stable(of, problem, high):
        for _ in range(9):
            middle = (low + high) / 2
            low, high = (middle, high) if _stable(of, problem, middle) else (low, middle)
    else:
        low = high
    last = low * Fraction(96, 100)
    return [(last * k / _POINTS).limit_denominator(10**6) for k in range(1, _POINTS + 1)]


def _stable(of: str, content: Mapping[str, Any], step: Fraction) -> bool:
    try:
        return law_or_none(of, Problem.of(_with_step(content, step))) is not None
    except UnusableInput:
        return False


@cache
def _covariance(of: str, content: str, time: str) -> Any:
    """One for all claims on a sampler that were measured on one problem."""
    return law(of, Problem.of(json.loads(content)), time=time).covariance["theta", "theta"]


def _entries(
    claim: Any, content: Mapping[str, Any], place: tuple[int, int]
) -> tuple[float, float, float | None]:
    """An entry of the covariance: exact, in continuous time, as printed."""
    problem = Problem.of(dict(content))
    exact, limit = (_covariance(claim.of, json.dumps(problem.to_json()), t)[place] for t in TIMES)
    printed = claim.printed_covariance(problem)
    return float(exact), float(limit), None if printed is None else float(printed[place])


# -- the law of a sampler as its noise turns away from the curvature ----------------------------------


def _over_angle(verdict: Any) -> list[Block]:
    data = verdict.measured.data if verdict.measured else {}
    content = data.get("problem", {})
    if len(content.get("hessian", ())) != 2 or not data.get("points"):
        return []
    if data["points"][0]["printed"] is None or "H" in content["params"]:
        return []
    import numpy as np

    angles = [k * 90 / _POINTS for k in range(_POINTS + 1)]
    lines: dict[str, list[float]] = {"from the algorithm": [], "from continuous time": []}
    for angle in angles:
        turned = _turned(content, angle)
        problem = Problem.of(turned)
        printed = verdict.claim.printed_covariance(problem)
        for time, line in zip(("discrete", "continuous"), lines.values(), strict=True):
            exact = _covariance(verdict.claim.of, json.dumps(turned), time)
            line.append(100 * float(np.linalg.norm(printed - exact) / np.linalg.norm(exact)))
    return [_angle_figure(angles, lines)]


def _angle_figure(angles: list[float], lines: Mapping[str, Sequence[float]]) -> Figure:
    return curve(
        angles,
        lines,
        name="over-the-angle",
        alt="The relative difference of the printed covariance over the angle of non-commutation.",
        x_label="angle between the eigenvectors of noise and curvature, degrees",
        y_label="printed covariance is off by, %",
        caption=(
            "The same problem with its noise turned against its curvature; at 0 and 90 degrees they"
            " commute. The difference is the Frobenius norm relative to that of the exact covariance."
        ),
    )


def _turned(content: Mapping[str, Any], angle: float) -> dict[str, Any]:
    """The problem in its curvature's eigenbasis, its noise with the same eigenvalues at an angle."""
    import numpy as np

    curvatures, noises = (
        np.linalg.eigvalsh([[float(Fraction(str(x))) for x in row] for row in content[name]])
        for name in ("hessian", "noise")
    )
    # in fractions: a rounded turn makes noise of lower rank indefinite
    half = Fraction(math.tan(math.radians(angle) / 2)).limit_denominator(10**6)
    c, s = (1 - half**2) / (1 + half**2), 2 * half / (1 + half**2)
    first, second = (max(Fraction(float(x)), Fraction(0)) for x in noises)
    across = str(c * s * (first - second))
    rows = [
        [str(c * c * first + s * s * second), across],
        [across, str(s * s * first + c * c * second)],
    ]
    kept = {k: v for k, v in content.items() if k not in ("hessian", "noise")}
    return {**kept, "hessian": np.diag(curvatures).tolist(), "noise": rows}


# -- both sides of any statement over one of its letters ----------------------------------------------


def _over_letter(verdict: Any) -> list[Block]:
    finding = verdict.finding
    shown = finding.counterexample
    place = None if shown is None else place_of(shown.problem)
    if place is None or not hasattr(type(verdict.claim), "look"):
        return []
    for name in _letters(place, finding.gap):
        rows = [row for x in _values(name, place.scalars[name])
                if (row := _sides(verdict.claim, place, name, x)) is not None]  # fmt: skip
        if len(rows) >= 6 and len({r[1] for r in rows} | {r[2] for r in rows}) > 2:
            return [_letter_figure(name, place, rows)]
    return []


def place_of(problem: Mapping[str, Any]) -> Place | None:
    """The exact place that a counterexample's letters are; None where they are no numbers.

    >>> place_of({"x": "1/2"}).scalars
    {'x': Fraction(1, 2)}
    """
    try:
        matrices = {
            k: tuple(tuple(Fraction(str(x)) for x in row) for row in v)
            for k, v in problem.items()
            if isinstance(v, list)
        }
        scalars = {k: Fraction(str(v)) for k, v in problem.items() if not isinstance(v, list)}
    except (ValueError, TypeError, ZeroDivisionError):
        return None
    return Place(matrices, scalars) if scalars else None


def _letters(place: Place, gap: Any) -> list[str]:
    """Letters to turn, the most telling first."""
    wanted = [gap.parameter] if gap is not None else []
    order = [*wanted, *_STEPS, *place.scalars]
    return [n for n in dict.fromkeys(order) if place.scalars.get(n, 0) > 0][:3]


def _values(name: str, at: Fraction) -> list[Fraction]:
    if name in _COUNTS and at.denominator == 1:
        return [at + k for k in range(12)]
    return [at * k / 8 for k in range(1, 17)]


def _sides(claim: Any, place: Place, name: str, value: Fraction) -> tuple[float, float, float] | None:
    try:
        sides = claim.look(claim.time)(place.but(**{name: value}))
        left, right = (None, None) if sides is None else (sides.left, sides.right)
        pair = float(left), float(right)  # type: ignore[arg-type]
    except _NOTHING:
        return None
    return (float(value), *pair) if all(map(math.isfinite, pair)) else None


def _letter_figure(name: str, place: Place, rows: list[tuple[float, float, float]]) -> Figure:
    x, left, right = (list(column) for column in zip(*rows, strict=True))
    others = ", all else as in the counterexample" if len(place.scalars) > 1 or place.matrices else ""
    letter = formula(name) or name
    return curve(
        x,
        {"left side": left, "right side": right},
        name="both-sides",
        alt=f"Both sides of the statement over {name}, from exact numbers.",
        x_label=f"${letter}$" if "\\text" not in letter else name.replace("_", " "),
        y_label="value",
        caption=typeset(
            f"Both sides of what is stated, over ${name}${others}; each point is computed exactly."
        ),
    )
