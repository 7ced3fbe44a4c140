"""Declared samplers with a step that decreases, on the paper's double well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import t
from sgtheory.models.santa_double_well import U
from sgtheory.problem import Problem
from sgtheory.reader.potentials import POINT, parsed
from sgtheory.setting import Setting


def with_decreasing_step(sampler: Any, letter: str, power: Any) -> Any:
    """The declared sampler with its step times (t + 1)^(-power) in every update; t begins at 0.

    >>> made = with_decreasing_step(registry.sampler("rmsprop"), "eps", sp.Rational(3, 10))
    >>> made.updates[-1][1].has(t)
    True
    """
    (step,) = [p for p in sampler.parameters if p.name == letter]
    shorter = step * (t + 1) ** (-sp.sympify(power))
    return replace(
        sampler, updates=tuple((name, sp.sympify(e).subs(step, shorter)) for name, e in sampler.updates)
    )


def on_the_well(
    name: str, letter: str, power: Any, params: Mapping[str, Any], start: float = 4.0
) -> tuple[Setting, Any]:
    """A sampler with a decreasing step on the double well, ready to simulate."""
    content = {"model": "santa_double_well", "params": dict(params), "start": {"theta": [start]}}
    problem = Problem.of(content)
    sampler = with_decreasing_step(registry.sampler(name, problem.params), letter, power)
    return Setting(sampler, problem.model), problem.values(sampler)


def stationary_points() -> tuple[float, float, float]:
    """The global mode, the barrier and the local mode, from left to right.

    >>> [round(x, 3) for x in stationary_points()]
    [-2.935, -0.038, 2.224]
    """
    left, middle, right = sorted(float(sp.re(r)) for r in sp.Poly(sp.diff(parsed(U), POINT)).nroots())
    return left, middle, right


def potential(x: Any) -> Any:
    """The paper's potential."""
    return np.asarray(sp.lambdify(POINT, parsed(U), "numpy")(np.asarray(x, float)))


def equilibrium_share(inverse_temperature: float) -> float:
    """The probability of being left of the barrier under exp(-beta U), by quadrature.

    >>> 0.5 < equilibrium_share(0.1) < equilibrium_share(1) < equilibrium_share(10) <= 1
    True
    """
    left, barrier, _ = stationary_points()
    x = np.linspace(-8, 8, 40_001)
    weights = np.exp(-inverse_temperature * (potential(x) - potential(left)))
    return float(weights[x < barrier].sum() / weights.sum())
