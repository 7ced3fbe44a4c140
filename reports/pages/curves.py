"""What a sampler's law does over its step: where it is stable, how far off, what a pass is worth."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from reports.document import Block, Figure, Heading, Math, Number, Paragraph, Table, Text
from reports.figures import curve
from reports.live import Live, Slider, program
from reports.math.plain import plain as readable
from reports.math.writing import formula
from reports.plotting import LETTERS, LINES, WIDE, canvas, finish, ink, table
from sgtheory.errors import UnusableInput
from sgtheory.language import N
from sgtheory.modepairs.quantities import TIMES
from sgtheory.notation.printing import latex, plain
from sgtheory.numbers.lawrecord import NumericLaw
from sgtheory.numbers.numeric import law
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from sgtheory.symbolic import derive
from sgtheory.tuning import tune

_OTHERS = ("mu", "alpha", "gamma", "a")  # what else decides about stability, from 0 to 1
_ACROSS, _UP = 64, 40
_FACTORS = tuple(2 ** Fraction(k, 2) for k in range(-8, 17))


def over_step(sampler: Any, content: str) -> list[Block]:
    """Plots and tables of one sampler on its example problem."""
    problem = json.loads(content)
    step = sampler.step.name if sampler.step.name in problem["params"] else None
    blocks: list[Block] = []
    if step is not None:
        blocks += [*_region(sampler, step, problem), *_bias(sampler, step, problem)]
        blocks += one_mode(sampler, step, problem)
    heading = [Heading(2, "Over the step", "over-the-step")] if blocks else []
    return [*heading, *blocks, *_rules(sampler, problem)]


# -- where it is stable -------------------------------------------------------------------------------


def _region(sampler: Any, step: str, problem: Mapping[str, Any]) -> list[Block]:
    import sympy as sp

    form = mode_form(Setting(sampler, Problem.of(dict(problem)).model))
    entries = form.M.subs(form.short)
    own = {s.name: s for s in entries.free_symbols if s not in (LAMBDA, N)}
    if step not in own:
        return []
    others = [name for name in own if name != step]
    other = next((o for o in (*_OTHERS, *_shares(sampler), *others) if o in others), None)
    rest = {own[n]: sp.Rational(str(problem["params"].get(n, 0))) for n in others if n != other}
    if not all(rest.values()):  # a matrix, or a default
        return []
    bare = entries.subs({LAMBDA: 1, N: 1, **rest})
    names = [own[step], *([own[other]] if other else [])]
    at = sp.lambdify(names, list(bare), "numpy")
    size = len(form.states)
    return [_curve_of_radius(at, size, step) if other is None else _map(at, size, step, other)]


def _shares(sampler: Any) -> list[str]:
    """Parameters that a declaration keeps below one."""
    found = (g for g in sampler.given if getattr(g, "gts", None) == 1 and g.lts.is_Symbol)
    return [g.lts.name for g in found]


def _radii(at: Any, size: int, *grids: Any) -> Any:
    """The spectral radius at every point of grids."""
    import numpy as np

    entries = [np.broadcast_to(np.asarray(e, dtype=float), grids[0].shape) for e in at(*grids)]
    M = np.stack(entries, axis=-1).reshape(*grids[0].shape, size, size)
    return abs(np.linalg.eigvals(M)).max(axis=-1)


def _curve_of_radius(at: Any, size: int, step: str) -> Figure:
    import numpy as np

    x = [4.4 * (k + 1) / _ACROSS for k in range(_ACROSS)]
    return curve(
        x,
        {"spectral radius": _radii(at, size, np.array(x)).tolist(), "limit": [1.0] * len(x)},
        name="stability",
        alt="The factor by which a mode grows in one step; below 1 it is stable.",
        x_label=rf"step ${formula(step)}$, in units of one over the curvature",
        y_label="growth of a mode in one step",
        caption="Below 1 the sampler is stable; where a loss is a sum, the unit holds N too.",
    )


def _map(at: Any, size: int, step: str, other: str) -> Figure:
    import numpy as np

    x = np.linspace(4.4 / _ACROSS, 4.4, _ACROSS)
    y = np.linspace(1 / _UP, 1, _UP)
    z = _radii(at, size, *np.meshgrid(x, y))
    with canvas(WIDE, 2.9) as figure:
        axes = figure.subplots()
        levels = (0.0, 0.5, 0.7, 0.8, 0.9, 1.0)
        for k, (low, high) in enumerate(pairwise(levels)):
            axes.contourf(x, y, z, [low, high], colors=[LINES[0]["color"]], alpha=0.55 - 0.1 * k)
        drawn = axes.contour(x, y, z, levels[1:], colors=ink(), linewidths=[0.5] * 4 + [1.5])
        axes.clabel(drawn, fontsize=LETTERS, fmt="%g")
        axes.set(
            xlabel=rf"step ${formula(step)}$, in units of one over the curvature",
            ylabel=f"${formula(other)}$",
        )
        svg = finish(figure)
    rows = [(float(a), float(b), float(z[j, 4 * i])) for i, a in enumerate(x[::4])
            for j, b in enumerate(y) if j % 4 == 0]  # fmt: skip
    return Figure(
        svg,
        f"The region of stable steps over {step} and {other}, with lines of equal spectral radius.",
        "Where the sampler is stable: shaded, darker where it forgets faster; lines are spectral radii,"
        " the thick one is the limit.",
        table((step, other, "spectral_radius"), rows),
        "stability",
    )


# -- one mode, moved by the reader --------------------------------------------------------------------


def one_mode(sampler: Any, step: str, problem: Mapping[str, Any]) -> list[Block]:
    """The variance along one mode over the step, from closed forms, with a slider for every letter."""
    import sympy as sp

    setting = Setting(sampler, Problem.of(dict(problem)).model)
    short = dict(mode_form(setting).short)
    exact, limit = (derive(sampler, time=time) for time in TIMES)
    curves = {
        "exact": _alone(exact.covariance.pair.subs(short)),
        "in continuous time": _alone(limit.covariance.pair.subs(short)),
    }
    if any(s.name == "delta_ij" for s in exact.covariance.pair.free_symbols):  # it injects noise for one
        power, spring = map(sp.sympify, sampler.target)
        of = "posterior" if (power, spring) == (1, 0) else "local posterior"
        curves[of] = _alone(1 / (power * N * LAMBDA + spring))
    conditions = tuple(_alone(c.subs(short)) for c in exact.stability.conditions)
    letters = {s.name for e in (*curves.values(), *conditions) for s in e.free_symbols}
    defaults = {p.name: sampler.default(p) for p in sampler.parameters}
    known = {**defaults, "lambda_i": 1, "C_ii": 1, **problem, **problem["params"]}
    numbers = {
        name: value for name in sorted(letters) if (value := _number(known.get(name))) is not None
    }
    drawn, ends = ([p for e in some if (p := program(e))] for some in (curves.values(), conditions))
    if (
        len(drawn) + len(ends) < len(curves) + len(conditions)
        or {*numbers} != letters
        or step not in letters
    ):
        return []
    shares = {*_OTHERS, *_shares(sampler)} - {step}
    sliders = {name: _slider(name, value, numbers, shares) for name, value in numbers.items()}
    least, ratio = sliders[step].least, sliders[step].most / sliders[step].least
    x = [least * ratio ** (k / (2 * _ACROSS)) for k in range(2 * _ACROSS + 1)]
    at = {name: v for name, v in numbers.items() if name != step}
    says = f"The variance along one mode over {step}, exact and in continuous time."
    still = curve(
        x, {name: _along(e, conditions, step, x, at) for name, e in curves.items()},
        name="one-mode", alt=says, x_label=f"step ${formula(step)}$", y_label="variance",
        caption=(
            "The stationary variance along one mode, with curvature ", Math(r"\lambda_i", "lambda_i"),
            " and noise covariance ", Math("C_{ii}", "C_ii"), ", over the step; at the numbers with"
            " which the sliders begin. A curve ends where the sampler is unstable. The sliders are there"
            " where scripts run; they move the exact formulas that stand above.",
        ), log_x=True, log_y=True,
    )  # fmt: skip
    across, others = sliders.pop(step), tuple(sliders.values())
    live = Live(across, others, tuple(zip(curves, drawn, strict=True)), tuple(ends), says)
    return [Heading(2, "One mode, moved by you", "one-mode"), replace(still, live=live)]


def _alone(pair: Any) -> Any:
    """What is said of two modes, of one."""
    import sympy as sp

    one = {"lambda": "lambda_i", "lambda_j": "lambda_i", "C_ij": "C_ii"}
    plainly = {s: sp.Symbol(one.get(s.name, s.name)) for s in pair.free_symbols}
    return sp.factor_terms(pair.subs(plainly).subs(sp.Symbol("delta_ij"), 1))


def _number(value: Any) -> float | None:
    try:
        return float(Fraction(str(value)))
    except ValueError:  # a matrix, none, or a formula
        return None


def _slider(name: str, value: float, numbers: Mapping[str, Any], shares: Set[str]) -> Slider:
    label = re.sub(r"_(i+)\b", lambda m: "ᵢ" * len(m[1]), readable(formula(name) or name))
    if name in shares:
        return Slider(name, label, min(0.01, value), max(0.99, value), value, "linear")
    if value == 0:
        return Slider(name, label, 0, 1, value, "linear")
    if name == "S" and numbers.get("N", 0) > value:
        return Slider(name, label, 1, numbers["N"], value, "whole")
    return Slider(name, label, value / 64, value * 64, value)


def _along(
    e: Any, conditions: Sequence[Any], step: str, x: Sequence[float], at: Mapping[str, float]
) -> list[float]:
    """The values of a closed form over the step, while all conditions are positive."""
    import sympy as sp

    letter = sp.Symbol(step)
    numbers = {sp.Symbol(name): value for name, value in at.items()}
    f, *all_ = (sp.lambdify(letter, each.subs(numbers), "math") for each in (e, *conditions))
    return [float(f(v)) if all(c(v) > 0 for c in all_) else math.nan for v in x]


# -- how far off, and what a pass is worth ------------------------------------------------------------


def _bias(sampler: Any, step: str, problem: Mapping[str, Any]) -> list[Block]:
    first = Fraction(str(problem["params"][step]))
    steps, laws, limits = [], [], []
    for factor in _FACTORS:
        at = Fraction(float(first * 1) * float(factor)).limit_denominator(10**9)
        exact, limit = (_law(sampler, step, at, problem, time) for time in TIMES)
        if exact is None or not exact.stable:
            break
        steps.append(float(at))
        laws.append(exact)
        limits.append(limit)
    if len(steps) < 5:
        return []
    blocks: list[Block] = []
    if laws[0].kl_to_posterior is not None:
        blocks.append(_divergences(step, steps, laws, limits))
    if laws[0].ess_per_pass is not None:
        blocks.append(_worth(step, steps, laws))
    return blocks


def _law(
    sampler: Any, step: str, at: Fraction, problem: Mapping[str, Any], time: str
) -> NumericLaw | None:
    params = {**problem["params"], step: str(at)}
    try:
        return law(sampler, Problem.of({**problem, "params": params}), time=time)
    except UnusableInput:
        return None


def _divergences(
    step: str, steps: Sequence[float], laws: Sequence[NumericLaw], limits: Sequence[NumericLaw | None]
) -> Figure:
    lines = {"exact": [_above(x.kl_to_posterior) for x in laws]}
    promised = [_above(None if x is None else x.kl_to_posterior) for x in limits]
    if any(map(math.isfinite, promised)):
        lines["continuous time"] = promised
    return curve(
        list(steps),
        lines,
        name="bias",
        alt="The divergence of the sampler's law from the posterior over its step.",
        x_label=rf"step ${formula(step)}$",
        y_label="KL divergence to the posterior",
        caption="How far its law is from the posterior on the problem below, all else as given there.",
        log_x=True,
        log_y=True,
    )


def _above(value: float | None) -> float:
    """What can be drawn in decades: a divergence that is zero but for rounding leaves a gap."""
    return math.nan if value is None or value < 1e-13 else value


def _worth(step: str, steps: Sequence[float], laws: Sequence[NumericLaw]) -> Figure:
    rows = [[float(v) for v in x.ess_per_pass] for x in laws if x.ess_per_pass is not None]
    lines = {f"coordinate {k + 1}": [r[k] for r in rows] for k in range(len(rows[0]))}
    return curve(
        list(steps)[: len(rows)],
        lines,
        name="effective-samples",
        alt="Effective samples of a pass over the data over the step.",
        x_label=rf"step ${formula(step)}$",
        y_label="effective samples a pass",
        caption="How many independent samples of each coordinate one pass over the data is worth.",
        log_x=True,
        log_y=all(v > 0 for r in rows for v in r),
    )


# -- rules for its parameters -------------------------------------------------------------------------


def _rules(sampler: Any, problem: Mapping[str, Any]) -> list[Block]:
    try:
        found = tune(sampler, Problem.of(dict(problem)))
    except UnusableInput:
        return []
    rows = [_rule(tuned.parameter, choice) for tuned in found.tuned for choice in tuned.choices]
    if not rows:
        return []
    headers: tuple[Text, ...] = (
        "parameter", "rule", "formula", "KL it promises", "KL of the algorithm",
    )  # fmt: skip
    words = (
        "Each parameter as papers choose it, as the limit in continuous time would have it, and as it is"
        " best for the algorithm that runs; on the problem below."
    )
    return [
        Heading(2, "Rules for its parameters", "rules"),
        Paragraph(words),
        Table(headers, tuple(rows), align="lllrr"),
    ]


def _rule(parameter: str, choice: Any) -> tuple[Text, ...]:
    letter = Math(formula(parameter) or parameter, parameter)
    how = {"printed": "as printed", "continuous": "best in continuous time", "exact": "best exactly"}
    cites = f" ({choice.cites})" if choice.cites else ""
    told: Text = "–"
    if choice.formula is not None:
        left = rf"{latex_name(parameter)}^{{-1}} = " if choice.inverse else ""
        told = Math(left + latex(choice.formula), plain(choice.formula))
    return (letter, how.get(choice.how, choice.how) + cites, told, _kl(choice.promised), _kl(
        choice.kl_to_posterior if choice.stable else None, "unstable" if not choice.stable else "–"
    ))  # fmt: skip


def latex_name(parameter: str) -> str:
    """A parameter's letter."""
    return formula(parameter) or parameter


def _kl(value: float | None, otherwise: str = "–") -> Text:
    if value is None:
        return otherwise
    if abs(value) < 1e-13:
        return Number("0", "certified", "1e-13")
    # far more digits are right than are printed: the bound is that of rounding
    return Number(f"{value:.3g}", "certified", f"5e{math.floor(math.log10(abs(value))) - 3}")
