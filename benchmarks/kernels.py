"""The problems that kernels are checked and measured on, from the samplers as they are declared."""

from __future__ import annotations

from typing import Any

import numpy as np

# Sampler and dimension. W1, W2 and W3 have matrices that are full; W5 is bound by the random numbers.
WORKLOADS = {"W1": ("sgd", 10), "W2": ("sgld", 10), "W3": ("momentum", 10), "W5": ("sgd", 1)}

# A value for each parameter that a sampler may have, at which all of them are stable.
_SCALARS = {
    "eps": "1/20", "mu": "3/10", "gamma": "1/40", "alpha": "1/10", "beta": "1/50", "eta": "1/50",
    "tau": 1, "L": 4, "T": 10, "h": "1/20", "h_max": "1/10",
}  # fmt: skip


def problem_of(d: int, params: dict[str, Any] | None = None) -> Any:
    """A stable problem with non-commuting A and C and a start away from the optimum."""
    from sgtheory.problem import Problem

    source = np.random.default_rng(d)
    g, h = source.standard_normal((2, d, d)) / np.sqrt(d)
    A, C = g @ g.T + np.eye(d), h @ h.T + np.eye(d)
    content = {"hessian": ((A + A.T) / 2).tolist(), "noise": ((C + C.T) / 2).tolist()}
    params = params or {"eps": 0.05, "mu": 0.3}
    return Problem.of({**content, "N": 4, "S": 4, "params": params, "start": {"theta": [1] * d}})


def problem_for(sampler: str, d: int) -> Any:
    """That problem, with a value for every parameter of a sampler."""
    from sgtheory import registry

    diagonal = [[f"{1 + i}/{d}" if i == j else 0 for j in range(d)] for i in range(d)]
    quarter = [["1/4" if i == j else 0 for j in range(d)] for i in range(d)]
    values: dict[str, Any] = _SCALARS | {"H": diagonal, "E": quarter}
    declared = {str(p) for p in registry.sampler(sampler).parameters}
    return problem_of(d, {k: v for k, v in values.items() if k in declared})


def bound_of(sampler: str, d: int, dtype: str, problem: Any = None) -> Any:
    """A sampler on a problem (the first of these unless one is given) as ``simulate`` binds it."""
    from sgtheory import registry
    from sgtheory.setting import Setting
    from simulators.bind import bind
    from simulators.lower import lower
    from simulators.rewrites import FOLD, drop_identities

    problem, declared = problem or problem_of(d), registry.sampler(sampler)
    values = problem.values(declared)
    rewrites = (drop_identities(values), FOLD)
    return bind(lower(Setting(declared, problem.model), rewrites, values.replacement), values, dtype)


def wide(d: int, dtype: str) -> Any:
    """SGD in many dimensions, its matrices given in floating point: x' = x - eps A x + eps B w."""
    from dataclasses import replace

    small = bound_of("sgd", 2, dtype)
    drift, noise = (c.name for c in small.program.constants)
    source = np.random.default_rng(d)
    A = source.standard_normal((d, d)) / np.sqrt(d)
    A, B = A @ A.T / 4 + np.eye(d), source.standard_normal((d, d)) / np.sqrt(d) + np.eye(d) / 2
    exact = {drift: -0.1 * (A + A.T) / 2, noise: 0.05 * B}
    return replace(small, D=d, exact=exact, start={"theta": np.ones(d)})


def exact_step(bound: Any, steps: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Mean and variances of ``wide`` after some steps, a power of two, in double."""
    drift, noise = (bound.constant(c.name).astype(np.float64) for c in bound.program.constants)
    M, covariance = np.eye(bound.D) + drift, noise @ noise.T
    mean, power, done = np.ones(bound.D), M, 1
    for _ in range(steps):
        mean = M @ mean
    while done < steps:
        covariance, power, done = covariance + power @ covariance @ power.T, power @ power, 2 * done
    assert done == steps, "a power of two"
    return mean, np.diag(covariance).copy()
