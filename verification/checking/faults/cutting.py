"""Gradients or steps that are cut: how far is fitted in each case by running, and then named."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from verification.checking.faults.naming import formulas, letters_of
from verification.checking.faults.search import Evidence
from verification.checking.faults.trials import CUTS, CutStep, Trial, apart, fits
from verification.checking.written import DeclaredStep

_CHAINS = 4_000
_TIMES = 2  # steps that are looked at
_LEVELS = 2.0 ** np.arange(-9, 15)  # of the gradient, or the step, where a chain begins
_ROUNDS = 14
_FAR = 9.0  # standard errors
_MATTERS = 3.0  # standard errors that a level moves the moments, where it is seen
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class _Level:
    value: float
    error: float


def cut(evidence: Evidence) -> Iterator[Trial]:
    """Each way of cutting that does what was measured, with a formula for where."""
    declared = DeclaredStep(evidence.sampler)
    for what in ("gradient", "step"):
        for name, (words, change) in CUTS.items():
            step = CutStep(declared, change, what, lambda _: 1.0)
            levels = _levels(evidence, step)
            if levels is None:
                continue
            for expr in _named(evidence, levels):
                trial = _trial(step, f"{what} {name}", f"The {what} {words}.", expr)
                if fits(trial, evidence.sampler, evidence.outcomes):
                    yield trial
                    break


def _trial(step: CutStep, name: str, words: str, expr: Any) -> Trial:
    from sgtheory.notation.printing import plain

    letters = sorted(expr.free_symbols, key=str)

    def level(params: Any) -> float:
        return float(expr.subs({s: params[s.name] for s in letters}))

    said = words.replace("{0}", plain(expr))
    return Trial(name, said, replace(step, level=level), formula=f"{step.what} cut at {plain(expr)}")


def _named(evidence: Evidence, levels: Sequence[_Level | None]) -> list[Any]:
    """Formulas for the levels of the cases that see it."""
    seen = [(k, one) for k, one in enumerate(levels) if one is not None]
    known = [{sp.Symbol(n, positive=True): x for n, x in evidence.numbers[k].scalars.items() if n != "D"}
             for k, _ in seen]  # fmt: skip
    values, errors = [one.value for _, one in seen], [one.error for _, one in seen]
    return [n.expr for n in formulas(values, errors, letters_of(known))]


def _levels(evidence: Evidence, step: CutStep) -> list[_Level | None] | None:
    """The level in each case, None where it is not seen; none at all as soon as most cases are far.

    Where nearly all is cut no moment leads to the level: the others name it, and all are asked then.
    """
    found: list[_Level | None] = []
    far = 0
    for k, outcome in enumerate(evidence.outcomes, 1):
        one = _fitted(evidence, step, outcome)
        far += one is False
        if 2 * far > k:
            return None
        found.append(one or None)
    return found if any(found) else None


def _fitted(evidence: Evidence, step: CutStep, outcome: Any) -> Any:
    """The level at which it comes nearest; False where that is far, None where any large one is near."""
    near = _first(outcome)

    def far(level: float) -> float:
        return apart(replace(step, level=lambda _: level), evidence.sampler, near, _CHAINS)

    scale = _scale(outcome, step.what)
    if not scale > 0:
        return False
    measured = [far(scale * x) for x in _LEVELS]
    k = int(np.argmin(measured))
    low, high = (scale * _LEVELS[min(max(j, 0), len(_LEVELS) - 1)] for j in (k - 1, k + 1))
    best, value = _minimum(far, low, high)
    if not best < _FAR:
        return False
    if measured[-1] < _FAR:
        return None
    return _Level(value, _error(far, value))


def _minimum(f: Any, low: float, high: float) -> tuple[float, float]:
    """The least value and where it is, by the golden section of the logarithm."""
    a, b = math.log(low), math.log(high)
    c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    at_c, at_d = f(math.exp(c)), f(math.exp(d))
    for _ in range(_ROUNDS):
        if at_c <= at_d:
            b, d, at_d = d, c, at_c
            c = b - _GOLDEN * (b - a)
            at_c = f(math.exp(c))
        else:
            a, c, at_c = c, d, at_d
            d = a + _GOLDEN * (b - a)
            at_d = f(math.exp(d))
    return (at_c, math.exp(c)) if at_c <= at_d else (at_d, math.exp(d))


def _error(f: Any, value: float) -> float:
    """How far the level may be off before the moments are: where it moves them by some errors."""
    for part in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2):
        if min(f(value * (1 + part)), f(value * (1 - part))) > f(value) + _MATTERS:
            return value * part / _MATTERS
    return 0.1 * value


def _first(outcome: Any) -> Any:
    """The first steps of a case alone."""
    times = tuple(t for t in outcome.case.times if t <= _TIMES)
    few, one = len(times) * outcome.case.D, outcome.measured
    seen = replace(one, mean=one.mean[:few], covariance=one.covariance[:few, :few])
    return replace(outcome, case=replace(outcome.case, times=times), measured=seen)


def _scale(outcome: Any, what: str) -> float:
    """About how long a gradient is at the start, or a step."""
    case = outcome.case
    away = np.array([float(x) for x in case.problem.start["theta"]])
    long = float(np.linalg.norm(case.A @ away)) + float(
        np.sqrt(np.trace(case.noise_root @ case.noise_root.T))
    )
    if what == "gradient":
        return long
    law, k = outcome.expected, sum(t <= _TIMES for t in case.times) * case.D
    last = slice(k - case.D, k)
    moved = law.mean[last] - np.array(case.mode) - away
    return float(np.linalg.norm(moved) + np.sqrt(np.trace(law.covariance[last, last])))
