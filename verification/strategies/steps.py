"""Strategies for steps: stable ones, and nearly unstable ones, of a given sampler on a given problem.

The limit is the one that ``modepairs.stability`` derives, where it is closed and explicit; of the
others (periods, real minibatches) it is bracketed with the exact law's own radius. A step is the
simplest fraction of an interval below the limit, so that problems stay readable.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from hypothesis import strategies as st

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.stability import stability
from sgtheory.numbers.modes import modes_of
from sgtheory.onestep.affine import LAMBDA, has_spread, mode_form
from sgtheory.problem import Problem, Values
from sgtheory.setting import Setting

# Shares of the limit, the friendliest first: each is an interval from which the step is taken.
_SHARES = (
    (Fraction(1, 8), Fraction(3, 8)),
    (Fraction(3, 8), Fraction(1, 2)),
    (Fraction(1, 2), Fraction(5, 8)),
    (Fraction(5, 8), Fraction(3, 4)),
    (Fraction(3, 4), Fraction(7, 8)),
    (Fraction(1, 32), Fraction(1, 16)),
    (Fraction(7, 8), Fraction(15, 16)),
    (Fraction(1, 256), Fraction(1, 128)),
)
_NEAR = 20  # halvings of the distance to the limit among nearly unstable steps
_ROUNDING = 1e-12  # of a radius
_UNSETTLED = 64  # the clock at which a sampler that never settles is looked at


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the smallest denominator in an interval of positive numbers.

    >>> simplest(Fraction(3, 10), Fraction(2, 5))
    Fraction(1, 3)
    """
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    below = math.floor(low)
    return below + 1 / simplest(1 / (high - below), 1 / (low - below))


def step_name(sampler: Any) -> str:
    """The parameter that is a sampler's step.

    >>> step_name("sghmc"), step_name("sgldfp")
    ('eta', 'gamma')
    """
    return str(registry.sampler(sampler).step.name)


def radius(sampler: Any, problem: Problem) -> float:
    """The factor by which one step shrinks what it is slowest to forget; below 1 means stable.

    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "S": 1, "params": {"eps": "3/2"}})
    >>> radius("sgd", problem)
    0.5
    """
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    return _radius(setting, problem.values(setting.sampler))


def _by_step(sampler: Any, problem: Problem) -> Callable[[float], float]:
    """The radius as a function of the step; all else is read once."""
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    name = step_name(setting.sampler)
    if setting.sampler.where and setting.period != 1:  # abbreviations may depend on the step
        return lambda step: radius(sampler, problem.with_params(**{name: Fraction(step)}))
    values = problem.with_params(**{name: 1}).values(setting.sampler)

    def at(step: float) -> float:
        scalars = {**values.scalars, name: Fraction(step)}
        return _radius(setting, replace(values, scalars=scalars))

    return at


def _radius(setting: Setting, values: Values) -> float:
    if has_spread(setting):
        from sgtheory.numbers.multiplicative import law

        found = law(setting, values, None, None)
        return max(found.spectral_radius, math.sqrt(found.mean_square_radius or 0.0))
    if setting.period == 1:
        return _radius_of(setting)(values)
    settles = setting.period is not None
    modes = modes_of(mode_form(setting), values, None if settles else _UNSETTLED)
    whole = modes.whole[0] if settles else modes.table[-1]
    return float(np.abs(np.linalg.eigvals(whole)).max() ** (1 / (modes.phases if settles else 1)))


@cache
def _radius_of(setting: Setting) -> Callable[[Any], float]:
    """The radius as a function of a problem's values, its formulas compiled once."""
    form = mode_form(setting)
    M = form.M.subs(form.short)
    letters = sorted(M.free_symbols - {LAMBDA}, key=str)
    entries = [sp.lambdify((LAMBDA, *letters), e, "numpy") for e in M]
    m = len(form.states)

    def evaluate(values: Any) -> float:
        eigenvalues = _eigenvalues(form, values)
        known = [float(values.scalars[s.name]) for s in letters]
        columns = [np.broadcast_to(e(eigenvalues, *known), eigenvalues.shape) for e in entries]
        tall = np.stack(columns, axis=-1).reshape(-1, m, m).astype(float)
        return float(np.abs(np.linalg.eigvals(tall)).max())

    return evaluate


def _eigenvalues(form: Any, values: Any) -> Any:
    """The eigenvalues of A, or of H A where there is a gain."""
    A = values.arrays["A"]
    if form.gain is None:
        return np.linalg.eigvalsh(A)
    L = np.linalg.cholesky(values.arrays[str(form.gain)])
    return np.linalg.eigvalsh(L.T @ A @ L)


def limit(sampler: Any, problem: Problem) -> float:
    """The step above which a sampler is unstable on a problem, or a little less; never more.

    >>> problem = Problem.of({"hessian": [[2, 1], [1, 2]], "noise": [[1, 0], [0, 1]], "N": 1, "S": 1})
    >>> round(limit("sgd", problem), 9)
    0.666666667
    """
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    if setting.period == 1 and not has_spread(setting):
        formula = _limit_of(setting)
        if formula is not None:
            values = problem.with_params(**{step_name(sampler): 1}).values(setting.sampler)
            largest = _eigenvalues(mode_form(setting), values).max()
            # what rounding may have added is taken away again
            return float(formula(largest, values.scalars)) * (1 - 1e-12)
    return _bracketed(setting.sampler, problem, bisections=3)[0]


@cache
def _limit_of(setting: Setting) -> Callable[[float, Any], Any] | None:
    """The closed limit in the largest eigenvalue and the scalars; None where there is none."""
    closed = stability(mode_form(setting)).limit
    hidden = {short for short, _ in setting.sampler.where}  # abbreviations may hold the step
    if closed is None or closed.free_symbols & hidden:
        return None
    letters = sorted(closed.free_symbols - {LAMBDA}, key=str)
    compiled = sp.lambdify((LAMBDA, *letters), closed, "math")
    return lambda largest, scalars: compiled(largest, *(float(scalars[s.name]) for s in letters))


def _bracketed(sampler: Any, problem: Problem, bisections: int) -> tuple[float, float]:
    """A stable step and an unstable one above it, as near as asked."""
    at = _by_step(sampler, problem)

    def stable(step: float) -> bool:
        return at(step) < 1

    low = high = 1.0
    while stable(high) and high < 2.0**40:
        low, high = high, 2 * high
    while not stable(low):
        if low < 2.0**-60:
            raise UnusableInput("a step that is stable", "none found", "check the problem")
        low, high = low / 2, low
    for _ in range(bisections):
        middle = (low + high) / 2
        low, high = (middle, high) if stable(middle) else (low, middle)
    return low, high


SHARES: st.SearchStrategy[tuple[Fraction, Fraction]] = st.sampled_from(_SHARES)
HALVINGS: st.SearchStrategy[int] = st.integers(0, _NEAR)


def stable_steps(sampler: Any, problem: Problem) -> st.SearchStrategy[Fraction]:
    """Steps at which a sampler is stable on a problem, from 1/256 to 15/16 of the limit.

    What the problem says about the step itself does not matter. Shrinks to a simple fraction near a
    quarter of the limit.

    >>> from verification.strategies import minimal
    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1})
    >>> minimal(stable_steps("sgd", problem), lambda eps: True)
    Fraction(1, 2)
    """
    return SHARES.map(lambda share: stable_step(sampler, problem, share))


def stable_step(sampler: Any, problem: Problem, share: tuple[Fraction, Fraction]) -> Fraction:
    """The simplest step between two shares of the limit."""
    top = Fraction(limit(sampler, problem))
    return simplest(share[0] * top, share[1] * top)


def nearly_unstable_steps(
    sampler: Any, problem: Problem, least: Fraction | float = Fraction(9, 10)
) -> st.SearchStrategy[Fraction]:
    """Steps just below the limit: the spectral radius is in [``least``, 1), up to rounding.

    >>> from verification.strategies import minimal
    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1})
    >>> minimal(nearly_unstable_steps("sgd", problem), lambda eps: True)
    Fraction(21, 11)
    """
    return HALVINGS.map(lambda halvings: nearly_unstable_step(sampler, problem, least, halvings))


def nearly_unstable_step(
    sampler: Any, problem: Problem, least: Fraction | float, halvings: int
) -> Fraction:
    """The simplest step so near the limit: the distance to it is halved again and again."""
    if not 0 <= least < 1:
        raise UnusableInput("a spectral radius in [0, 1)", str(least), "change it")
    at = _by_step(sampler, problem)
    begin, end = _last_branch(sampler, problem, float(least))
    while True:
        gap = (end - begin) / 2**halvings
        step = simplest(end - gap, end - gap / 2)
        if at(float(step)) >= float(least) - _ROUNDING:
            return step
        halvings += 1  # a dip that the search stepped over: nearer to the limit there is none


def _last_branch(sampler: Any, problem: Problem, least: float) -> tuple[Fraction, Fraction]:
    """The steps below the limit from which on the radius stays above a value."""
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    if setting.period is None:
        raise UnusableInput("a sampler that settles", setting.sampler.name, "use stable_steps")
    at = _by_step(sampler, problem)
    closed = setting.period == 1 and not has_spread(setting) and _limit_of(setting) is not None
    end = limit(sampler, problem) if closed else _bracketed(setting.sampler, problem, bisections=24)[0]

    def reaches(share: float) -> bool:
        return at(share * end) >= least

    above = 2.0**-_NEAR  # a distance from the limit at which the radius is reached
    while above < 1 / 2 and reaches(1 - 2 * above):
        above *= 2
    below = 2 * above
    for _ in range(24 if above < 1 / 2 else 0):
        middle = (above + below) / 2
        above, below = (middle, below) if reaches(1 - middle) else (above, middle)
    return Fraction(1 - above) * Fraction(end), Fraction(end)
