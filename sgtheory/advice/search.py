"""The search along one arm: a coarse grid of its numbers' logarithms, then downhill by a simplex."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.advice.arms import Arm
from sgtheory.advice.caring import Error
from sgtheory.advice.records import Option
from sgtheory.numbers.extrapolated import Run
from sgtheory.numbers.runs import Schedule
from sgtheory.onestep.full import Array

_SHARES = (0.03, 0.15, 0.6)
_SIZES = 4  # minibatches between one example and all
_STEPS = (0.6, 0.15, 0.04, 0.01, 0.0025, 0.0006)  # of the largest that is stable
_LONGER = (1, 2, 4, 8, 16)
_WIDTH = 0.5  # of the first simplex, in logarithms
_SAID, _SMALLER, _BACK = 1.1, Fraction(4, 5), 12  # times the error that a search saw; steps made smaller
_BESIDE, _BETTER, _MOVES = (0.8, 1.25), 1.01, 5  # factors, what a move has to gain, and how many
_NEAR = 1.002  # an error that is as good: a rounder number is then taken


@dataclass(frozen=True, eq=False)
class Found:
    """The best place of an arm, and the logarithm of the error there."""

    arm: Arm
    place: Array
    value: float


def coarse(arm: Arm) -> Found:
    """The best place of a grid."""
    grid = [_candidates(arm, name) for name in arm.free if name != arm.sampler.step.name]
    others = [name for name in arm.free if name != arm.sampler.step.name]
    best = Found(arm, np.zeros(len(arm.free)), np.inf)
    limits: dict[tuple[float, ...], float] = {}
    for point in itertools.product(*grid):
        chosen = dict(zip(others, point, strict=True))
        key = tuple(x for name, x in chosen.items() if name != "S")
        if key not in limits:
            limits[key] = arm.limit({name: Fraction(x) for name, x in chosen.items()})
        if not limits[key]:
            continue
        if arm.sampler.step.name not in arm.free:
            best = _better(best, arm, [np.log(chosen[name]) for name in arm.free])
            continue
        for share in _STEPS:
            chosen[arm.sampler.step.name] = share * limits[key]
            best = _better(best, arm, [np.log(chosen[name]) for name in arm.free])
    return best


def longer(found: Found) -> Found:
    """From a place on, the best of longer steps: what an arm is begun from that is less biased."""
    if found.arm.sampler.step.name not in found.arm.free:
        return Found(found.arm, found.place, value_of(found.arm, found.place))
    at = found.arm.free.index(found.arm.sampler.step.name)
    best = Found(found.arm, found.place, np.inf)
    for factor in _LONGER:
        place = found.place.copy()
        place[at] += np.log(factor)
        best = _better(best, found.arm, place)
    return best


def _candidates(arm: Arm, name: str) -> list[float]:
    if name != "S":
        return list(_SHARES)
    return sorted({float(round(x)) for x in np.geomspace(1, max(arm.posed.N / 2, 1), _SIZES)})


def _better(best: Found, arm: Arm, place: Any) -> Found:
    value = value_of(arm, np.array(place, float))
    return Found(arm, np.array(place, float), value) if value < best.value else best


def value_of(arm: Arm, place: Array) -> float:
    """The logarithm of the error at a place; infinite where there is none."""
    found = arm.tried(arm.numbers(place))
    return np.inf if found is None else float(np.log(max(found[0].value, 1e-300)))


def downhill(found: Found, evaluations: int) -> Found:
    """From a place on, by Nelder's and Mead's simplex."""
    from scipy.optimize import minimize

    if not np.isfinite(found.value) or not len(found.place):
        return found
    simplex = found.place + _WIDTH * np.vstack([np.zeros(len(found.place)), np.eye(len(found.place))])
    large = 1e3  # where nothing settles: the simplex has to turn round, and cannot subtract infinities
    options = {"initial_simplex": simplex, "maxfev": evaluations, "xatol": 0.02, "fatol": 5e-4}
    done = minimize(
        lambda x: min(value_of(found.arm, x), large), found.place, method="Nelder-Mead", options=options
    )
    return Found(found.arm, done.x, float(done.fun)) if done.fun < found.value else found


def chosen(found: Found) -> Option | None:
    """The option at a place, in numbers of two or three digits where these are as good.

    A search knows the settled noise roughly. Where a chain is less stable than it looked, or worse, the
    step is made smaller as long as that helps.
    """
    if not np.isfinite(found.value):
        return None
    arm, exact = found.arm, found.arm.numbers(found.place)
    best, step = _exactly(arm, exact), arm.sampler.step.name
    for _ in range(_BACK if step in exact else 0):
        if best is not None and best[1][0].value <= _SAID * np.exp(found.value):
            break
        exact = {**exact, step: exact[step] * _SMALLER}
        other = _exactly(arm, exact)
        if best is not None and (other is None or other[1][0].value > best[1][0].value):
            break
        best = other
    return None if best is None else arm.option(*best)


def neighbours(option: Option, arm: Arm) -> Option:
    """The option, or one beside it of which the exact law says better what a search saw roughly."""
    if arm.searched_exactly:
        return option
    for _ in range(_MOVES):
        here = {name: Fraction(x) for name, x in option.params.items()}
        found = []
        for name, factor in itertools.product(arm.free, _BESIDE):
            moved = here | {name: here[name] * Fraction(factor)}
            place = np.log([float(moved[n]) for n in arm.free])
            numbers = _rounded(arm.numbers(place), 3)
            tried = arm.tried(numbers, final=True) if numbers != here else None
            found += [] if tried is None else [(tried[0].value, numbers, tried)]
        least = min(found, key=lambda one: one[0], default=None)
        if least is None or least[0] >= option.error.value / _BETTER:
            return option
        option = arm.option(*least[1:])
    return option


Tried = tuple[dict[str, Fraction], tuple[Error, Schedule, Run]]


def _exactly(arm: Arm, exact: dict[str, Fraction]) -> Tried | None:
    """Numbers of few digits, chosen as a search sees them, and what is exactly so there."""
    tried = [(n, arm.tried(n)) for n in (_rounded(exact, d) for d in (2, 3))]
    settled = [(n, result[0].value) for n, result in tried if result is not None]
    least = min((value for _, value in settled), default=np.inf)
    numbers = next((n for n, value in settled if value <= _NEAR * least), exact)
    result = arm.tried(numbers, final=True)
    return None if result is None else (numbers, result)


def _rounded(numbers: Mapping[str, Fraction], digits: int) -> dict[str, Fraction]:
    """Numbers of so few digits; counts that are near a power of two are taken as that."""
    found = {}
    for name, x in numbers.items():
        if name == "S":
            power = Fraction(2 ** round(np.log2(float(x))))
            found[name] = power if digits == 2 and abs(power / x - 1) < Fraction(1, 3) else x
        else:
            found[name] = Fraction(f"{float(x):.{digits - 1}e}")
    return found
