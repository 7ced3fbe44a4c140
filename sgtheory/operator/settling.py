"""How long a chain takes until its first and second moments are those of its stationary law.

The coarse operator is applied again and again to the moments; where the chains of a declared start are
after a few steps says how far their expectations still are from what they tend to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declaring.noises import Noise
from sgtheory.errors import UnusableInput
from sgtheory.operator.stationary import _ORDER, _begin, _first_grid, _matrix, _weights
from sgtheory.operator.step import OneStep, _draw, _numbers, _scalar, one_step
from sgtheory.problem import Problem
from sgtheory.setting import Setting

Array = Any

_SEEN = 64  # steps that are simulated before the operator takes over: a start may lie outside of the box
_CHAINS = 4_000


def settling(
    sampler: Any,
    problem: Problem,
    accuracy: float = 1e-5,
    *,
    most: int = 2**14,
    seed: int = 0,
    clock: int = 2**40,
) -> tuple[int, float]:
    """After how many steps moments are settled to an accuracy, and how far they are from it then.

    Both in standard deviations of the states (of a pair of states: their product). The number of steps
    grows by a quarter until it suffices.

    >>> content = {"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1, "params": {"eps": "1/8"}}
    >>> steps, gap = settling("sgd", Problem.of(content))
    >>> steps, gap < 1e-5
    (128, True)
    """
    found = registry.sampler(sampler, problem.params)
    setting, values = Setting(found, problem.model), problem.values(found)
    step = one_step(setting, values, clock)
    grid = _first_grid(step, _begin(step, problem), seed)
    order = _ORDER.get(len(step.noises), 4)
    matrix, (weights, _) = _matrix(step, grid, order), _weights(step, grid, order)
    source = np.random.default_rng(seed)
    here = _after(step, _start(step, setting, values, problem, source), source)
    columns, counted = grid.interpolation(tuple(here.T))
    row = np.bincount(columns.ravel(), weights=counted.ravel(), minlength=grid.size)
    functions = _moments(grid.nodes)
    right = weights @ functions
    scales = _scales(right, grid.nodes.shape[1])
    done, wanted = _SEEN, _grown(_SEEN)
    while True:
        for _ in range(wanted - done):
            functions = matrix @ functions
        expected = row @ functions
        gap = float(np.max(abs(expected / expected[0] - right / right[0]) / scales))
        if gap < accuracy:
            return wanted, gap
        if _grown(wanted) > most:
            raise UnusableInput(
                f"a chain that settles within {most} steps",
                f"moments that are {gap:.1g} off after {wanted}",
                "take a larger step",
            )
        done, wanted = wanted, _grown(wanted)


def _grown(steps: int) -> int:
    return 5 * steps // 4 + 1


def _moments(nodes: Array) -> Array:
    """1, the states and their products, as columns."""
    d = nodes.shape[1]
    products = [nodes[:, i] * nodes[:, j] for i in range(d) for j in range(i, d)]
    return np.stack([np.ones(len(nodes)), *nodes.T, *products], axis=1)


def _scales(right: Array, d: int) -> Array:
    means, seconds = right[1 : d + 1], right[d + 1 :]
    pairs = [(i, j) for i in range(d) for j in range(i, d)]
    spread = np.array([(seconds[pairs.index((i, i))] - means[i] ** 2) ** 0.5 for i in range(d)])
    return np.array([1.0, *spread, *(spread[i] * spread[j] for i, j in pairs)])


def _start(
    step: OneStep, setting: Setting, values: Any, problem: Problem, source: np.random.Generator
) -> Array:
    """Chains as the sampler's declaration starts them."""
    known = _numbers(setting, values)
    declared = {s.name: _scalar(sp.sympify(e)).subs(known) for s, e in setting.sampler.start}
    noises: dict[Any, Array] = {}
    columns = []
    for name in step.states:
        expr = sp.sympify(problem.start[name][0] if name in problem.start else declared.get(name, 0))
        drawn = sorted(expr.atoms(Noise), key=str)
        for w in drawn:
            noises.setdefault(w, _draw(w, _CHAINS, source))
        plain = {w: sp.Symbol(f"s_{w.name}", real=True) for w in drawn}
        f = sp.lambdify(list(plain.values()), expr.subs(plain).evalf(17), "numpy")
        columns.append(np.broadcast_to(np.asarray(f(*(noises[w] for w in drawn)), float), (_CHAINS,)))
    return np.stack(columns, axis=1)


def _after(step: OneStep, x: Array, source: np.random.Generator) -> Array:
    for _ in range(_SEEN):
        drawn = step.drawn(len(x), source)
        x = np.stack(step.after(*x.T, *drawn.T), axis=1)
    return x
