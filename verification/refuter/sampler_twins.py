"""Wrong twins of samplers: a declared update corrupted mechanically, and whether a check would notice.

A check compares an ensemble with the exact law at a finite step. So a twin is caught where its own
exact law, on some small problem and at some step, differs by more than a measurement resolves. A twin
whose step has the same matrices in exact numbers is the same algorithm, and is not counted.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.errors import Ended, NotAffine, UnusableInput, told
from sgtheory.independent.fields import Rows, add, multiply, transpose
from sgtheory.independent.flow import extra_roots
from sgtheory.independent.running import Point, linear_map, random_point
from sgtheory.setting import Setting
from verification.laws.rational import problem_space
from verification.refuter.places import Place
from verification.refuter.twins import corruptions
from verification.verdicts.verdict import NoAnswer, Twins

STEPS = (1, 2, 5)
_PROBLEMS = 8
_REFUSED = 500  # random problems: where none of them has numbers, others have none either
_REFUSALS = (UnusableInput, NotAffine, ArithmeticError, ValueError, TypeError, KeyError, AttributeError)
RESOLVED = 0.003  # of a standard deviation, or of a variance: what a standard measurement finds


@dataclass(frozen=True)
class SamplerTwin:
    """A corrupted declaration; None where declaring it is already refused."""

    name: str
    sampler: Any


def sampler_twins(sampler: Any) -> Iterator[SamplerTwin]:
    """Every update corrupted at every node, and neighbouring updates exchanged.

    >>> names = [t.name for t in sampler_twins(registry.sampler("sgd"))]
    >>> any("sign flipped" in n for n in names)
    True
    """
    for k, (target, expr) in enumerate(sampler.updates):
        for name, wrong in corruptions(sp.sympify(expr)):
            updates = (*sampler.updates[:k], (target, wrong), *sampler.updates[k + 1 :])
            yield SamplerTwin(f"{target}: {name}", _declared(sampler, updates))
    for k in range(len(sampler.updates) - 1):
        u = sampler.updates
        exchanged = (*u[:k], u[k + 1], u[k], *u[k + 2 :])
        yield SamplerTwin(f"{u[k][0]} and {u[k + 1][0]} exchanged", _declared(sampler, exchanged))


def _declared(sampler: Any, updates: Any) -> Any:
    try:
        return replace(sampler, updates=updates)
    except _REFUSALS:
        return None


def twins(sampler: Any) -> Twins:
    """How many of a sampler's twins a check against its exact law would reject."""
    sampler = _with_whole_exponents(sampler)
    points = tuple(_points(sampler))
    tried = rejected = 0
    survivors, equivalent = [], []
    for twin in sampler_twins(sampler):
        if twin.sampler is not None and _same_step(sampler, twin.sampler):
            equivalent.append(twin.name)
            continue
        tried += 1
        effect = math.inf if twin.sampler is None else _effect(sampler, twin.sampler, points)
        if effect > RESOLVED:
            rejected += 1
        else:
            survivors.append(f"{twin.name}: its law differs by {effect:.2g} of a standard deviation")
    return Twins(tried, rejected, tuple(survivors), tuple(equivalent))


def of_samplers(samplers: Iterable[Any]) -> dict[str, Any]:
    """The twins of several samplers, names or declarations, as they go into a verdict file.

    >>> of_samplers(["sgd"])["sgd"]["rejected"]
    8
    """
    return {str(which): _twins_of(which) for which in sorted(samplers, key=str)}


def _twins_of(which: Any) -> dict[str, Any]:
    """Those of one sampler; where it cannot be had, why."""
    try:
        return twins(registry.sampler(which)).to_json()
    except Ended:
        raise
    except (Exception, SystemExit) as error:
        return {**Twins(0, 0).to_json(), "error": " ".join(told(error).split())}


def _with_whole_exponents(sampler: Any) -> Any:
    """Steps that shrink like a power of the clock, with 2 for its exponent: exact in every field."""
    powers = set().union(*(sp.sympify(e).atoms(sp.Pow) for _, e in sampler.updates))
    known = {s: sp.Integer(2) for p in powers for s in p.exp.free_symbols}
    if not known:
        return sampler
    return replace(sampler, updates=tuple((target, e.subs(known)) for target, e in sampler.updates))


def _points(sampler: Any) -> Iterator[Point]:
    """Random problems in floating point on which the sampler is stable, or keeps a clock."""
    setting = Setting(sampler, registry.model("quadratic"))
    gains = any(p.name == "H" for p in sampler.parameters)
    space, source = problem_space(setting, gain=gains), random.Random(sampler.name)
    found = refused = 0
    for _ in range(20_000):
        if refused > _REFUSED and not found:
            raise NoAnswer(sampler.name, "no problem was found on which its step has numbers")
        point = _in_floats(setting, space.random(source, 2))
        try:
            step: Any = np.array(_maps(sampler, point)[-1][0])
        except _REFUSALS:
            refused += 1
            continue
        if setting.period != 1 or np.max(np.abs(np.linalg.eigvals(step))) < 1:
            found += 1
            yield point
        if found == _PROBLEMS:
            return


def _in_floats(setting: Setting, place: Place) -> Point:
    """A place as a point of ordinary arithmetic: here sizes matter, not identities."""
    symbols, _ = extra_roots(setting)
    given = {**place.scalars, "T": 3, "L": 3, "N": 12, "S": 4}
    names = {s for _, e in setting.updates for s in e.free_symbols} | set(symbols)
    for short, meaning in setting.sampler.where:  # abbreviations, such as c = exp(-gamma eps)
        known = {s: sp.Float(float(given[s.name])) for s in meaning.free_symbols if s.name in given}
        given[short.name] = float(meaning.subs(known))
    roots = {s: math.sqrt(given[s.name]) for s in names if s.name in given}
    matrices = {n: [[float(x) for x in row] for row in m] for n, m in place.matrices.items()}
    one = [[float(i == j) for j in range(place.D)] for i in range(place.D)]
    matrices = {"H": one, "Root(H)": one, **matrices}
    return Point(float, roots, (), matrices, one)


def _maps(sampler: Any, point: Point) -> list[tuple[Rows, Rows]]:
    """What some numbers of steps do to the states, and the covariance of what they add."""
    settings = _settings(sampler)
    if len(settings) == 1:
        step, noise = _map(settings[0], point)
        found = [(step, noise)]
        while len(found) < max(STEPS):
            before, added = found[-1]
            turned = multiply(multiply(step, added), transpose(step))
            found.append((multiply(step, before), add(turned, noise)))
        return [found[k - 1] for k in STEPS]
    return [_map(setting, point) for setting in settings]


@lru_cache(maxsize=4)  # the sampler and its twin, at every point
def _settings(sampler: Any) -> tuple[Setting, ...]:
    """The sampler on the quadratic; of one that sees the clock, some numbers of steps as one."""
    setting = Setting(sampler, registry.model("quadratic"))
    return (setting,) if setting.period == 1 else tuple(setting.unroll(k) for k in STEPS)


def _map(setting: Setting, point: Point) -> tuple[Rows, Rows]:
    step, noise = linear_map(setting, "discrete", point)
    if not noise:  # no noise at all is left
        return step, [[x - x for x in row] for row in step]
    return step, multiply(noise, transpose(noise))


def _effect(sampler: Any, twin: Any, points: tuple[Point, ...]) -> float:
    """The largest difference of the laws, in standard deviations of the true one."""
    worst = 0.0
    for point in points:
        try:
            maps = list(zip(_maps(sampler, point), _maps(twin, point), strict=True))
        except _REFUSALS:
            return math.inf  # refused, or without a law: nobody takes it for the sampler
        for true, wrong in maps:
            (m, c), (mean, covariance) = _law(*wrong), _law(*true)
            sigma = np.sqrt(np.diag(covariance))
            scale = np.where(sigma > 0, sigma, 1e-9)
            worst = max(worst, float(np.max(np.abs(m - mean) / scale)))
            worst = max(worst, float(np.max(np.abs(c - covariance) / np.outer(scale, scale))))
    return worst


def _law(step: Any, noise: Any) -> tuple[Any, Any]:
    """Mean and covariance from a start at (1, -1/2) in position, at rest otherwise."""
    M, Q = np.array(step), np.array(noise)
    start = np.zeros(len(M))
    start[:2] = 1, -0.5
    return M @ start, Q


def _same_step(sampler: Any, twin: Any) -> bool:
    """Whether some steps have the same matrices, and the same covariance of noise, modulo a prime."""
    setting, source = Setting(sampler, registry.model("quadratic")), random.Random(sampler.name)
    gain = next((p for p in sampler.parameters if p.name == "H"), None)
    try:
        drawn = setting if setting.period == 1 else setting.unroll(STEPS[1])
        points = [random_point(drawn, gain, source) for _ in range(2)]
        return all(_maps(sampler, p) == _maps(twin, p) for p in points)
    except _REFUSALS:
        return False
