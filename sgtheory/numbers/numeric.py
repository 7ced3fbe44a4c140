"""The law in numbers: mode pairs in floating point, certified by the residual of the full equation."""

from __future__ import annotations

import numbers
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.modepairs.quantities import TIMES
from sgtheory.numbers import divergence, observables
from sgtheory.numbers.lawrecord import Blocks, NumericLaw, in_place, split
from sgtheory.numbers.modes import Modes, growth, modes_of, period_of, push, solve
from sgtheory.onestep.affine import has_spread, mode_form
from sgtheory.onestep.full import Array, FullStep, Means, full_step, full_steps, start
from sgtheory.problem import ProblemLike, Values, as_problem
from sgtheory.setting import Setting

# Above this size the residual is computed in float64: numpy has no fast long double product.
_REFINE_LIMIT = 64
_REFINE_PHASES = 64  # a long period takes as many products


def law(
    sampler: Any,
    problem: ProblemLike,
    *,
    time: str = "discrete",
    average: int | None = None,
    at: int | None = None,
) -> NumericLaw:
    """The law of a sampler on a problem: in the limit, or after ``at`` steps from the start.

    The problem may be its content or its file, as for ``read_problem``.

    >>> problem = {"model": "quadratic", "hessian": [[2]], "noise": [[3]],
    ...            "N": 10, "S": 1, "params": {"eps": "1/2"}}
    >>> law("sgd", problem).covariance["theta", "theta"]
    array([[0.75]])
    """
    return _law(sampler, problem, time, average, at, tells_why=True)


def law_or_none(sampler: Any, problem: ProblemLike) -> NumericLaw | None:
    """The law in the limit, or None: of an unstable sampler nobody asks why, which takes longer."""
    found = _law(sampler, problem, "discrete", None, None, tells_why=False)
    return found if found.stable else None


def _law(
    sampler: Any,
    problem: ProblemLike,
    time: str,
    average: int | None,
    at: int | None,
    tells_why: bool,
) -> NumericLaw:
    _check(time, average, at)
    from sgtheory.numbers import edge

    problem = as_problem(problem)
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    values = problem.values(setting.sampler)
    if has_spread(setting) and time != "discrete":
        raise UnusableInput(
            f"discrete time for {setting.sampler.name} on {problem.model.name}",
            time,
            "ask for the limit on the quadratic model with the same A and C",
        )
    try:
        with np.errstate(over="raise", invalid="raise"):
            found = in_floats(setting, values, time, average, at)
            return edge.explained(found, setting, problem, values) if tells_why else found
    except (FloatingPointError, OverflowError):
        when = "in its limit" if at is None else f"after {at} steps"
        raise Unstable(f"{setting.sampler.name} has numbers {when} that no float holds") from None


def in_floats(
    setting: Setting,
    values: Values,
    time: str = "discrete",
    average: int | None = None,
    at: int | None = None,
) -> NumericLaw:
    """The law of a setting at checked numbers; of an unstable one only that it is, and not yet why."""
    if has_spread(setting):
        from sgtheory.numbers import multiplicative

        return multiplicative.law(setting, values, average, at)
    return _affine_law(setting, values, time, average, at)


def _check(time: str, average: int | None, at: int | None) -> None:
    if time not in TIMES:
        raise UnusableInput(f"{' or '.join(TIMES)} time", repr(time), "choose one of the two")
    if at is not None and (not isinstance(at, numbers.Integral) or at < 0):
        raise UnusableInput("a whole number of steps, from 0", str(at), "count the steps")
    if average is not None and at is not None:
        raise UnusableInput(
            "a window of the stationary chain, or a finite step",
            f"both: average {average} and at {at}",
            "ask for one after the other",
        )


def _affine_law(
    setting: Setting, values: Values, time: str, average: int | None, at: int | None
) -> NumericLaw:
    form = mode_form(setting, time)
    modes = modes_of(form, values, at)
    states = setting.sampler.state
    radius = growth(form, modes.table)
    periodic = period_of(form, values) is not None
    stable = bool(radius < 1 - 4 * np.finfo(float).eps) or not periodic
    because = "" if stable else f"{setting.sampler.name} is unstable"
    solved = None
    if stable and periodic:
        try:
            solved = _stationary(modes, values)
        except np.linalg.LinAlgError:
            stable, because = False, f"{setting.sampler.name} is unstable"
    blank: dict[str, Any] = {
        "sampler": setting.sampler.name,
        "time": time,
        "states": tuple(s.name for s in states),
    }
    if not stable and at is None:
        return NumericLaw(
            **blank,
            stable=False,
            spectral_radius=radius,
            covariance=Blocks({}, because),
            unstable_because=because,
        )
    blocks, residual = solved or (None, None)
    extras: dict[str, Any] = {}
    if blocks is not None:
        extras = observables.all_of(modes, values, blocks, average) if at is None else {}
    means_of = Means.of(setting, values, time, modes.phases)
    mean = np.zeros(len(form.states) * values.D)
    if at is not None:
        mean, blocks = _transient(modes, values, at)
        residual = None
        if means_of is not None:
            mean = means_of.after(at, start(setting, values)[0])
    elif means_of is not None:
        mean = means_of.resting
    assert blocks is not None
    covariance = split(modes.to_coordinates(blocks), tuple(s.name for s in states), values.D)
    sample = setting.sampler.sample.name
    means = dict(zip((s.name for s in form.states), np.split(mean, len(form.states)), strict=True))
    return NumericLaw(
        **blank,
        stable=stable,
        spectral_radius=radius,
        mean=MappingProxyType(in_place(setting, values, means)),
        covariance=Blocks(covariance),
        **divergence.of_law(setting, values, covariance[sample, sample], means[sample]),
        **extras,
        period=modes.phases if periodic and modes.phases > 1 else None,
        at=at,
        residual=residual,
        unstable_because=because,
    )


def _stationary(modes: Modes, values: Values) -> tuple[Array, float]:
    """The pair blocks at the end of a period, refined on the full equation; and what is left of it."""
    M, Q = modes.whole if modes.form.time == "discrete" else (modes.M(), modes.Q())
    blocks = solve(M, Q, modes.form.time)
    d, m = modes.size
    small = d * m <= _REFINE_LIMIT and modes.phases <= _REFINE_PHASES
    setting = modes.form.setting
    if modes.phases > _REFINE_PHASES:  # certified where it was computed, mode by mode
        left = float(np.abs(push(M, blocks) + Q - blocks).max()) / (float(np.abs(blocks).max()) or 1.0)
        return blocks, left
    dtype = np.longdouble if small else float
    if modes.phases > 1:
        step = full_steps(setting, values, modes.phases, dtype)
    else:
        step = full_step(setting, values, modes.form.time, dtype)
    stacked = modes.to_coordinates(blocks).astype(dtype)
    for _ in range(2 if small else 0):
        gap = modes.to_modes(_residual(modes, step, stacked).astype(float))
        stacked = stacked + modes.to_coordinates(solve(M, gap, modes.form.time))
    scale = float(np.abs(stacked).max()) or 1.0
    left = float(np.abs(_residual(modes, step, stacked.astype(float))).max()) / scale
    return modes.to_modes(stacked.astype(float)), left


def _residual(modes: Modes, step: FullStep, stacked: Array) -> Array:
    if modes.form.time == "discrete":
        return step.M @ stacked @ step.M.T + step.Q - stacked
    drift = step.M @ stacked
    return drift + drift.T + step.Q


def _transient(modes: Modes, values: Values, steps: int) -> tuple[Array, Array]:
    """Mean (from the mode) and pair blocks after a number of steps (or a time), from the start."""
    mean, covariance = start(modes.form.setting, values)
    if modes.form.time == "discrete":
        M, Q = modes.steps(steps)
    else:
        from scipy.linalg import expm

        M = expm(modes.M() * steps)
        limit = solve(modes.M(), modes.Q(), "continuous")
        Q = limit - push(M, limit)
    d, m = modes.size
    inner = (modes.inverses @ mean.reshape(m, d, 1))[:, :, 0]
    moved = np.einsum("iab,bi->ai", M, inner)
    return (modes.bases @ moved[:, :, None]).reshape(-1), Q + push(M, modes.to_modes(covariance))
