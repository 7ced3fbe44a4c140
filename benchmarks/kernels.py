"""The workloads that kernels are measured on, from the samplers as they are declared."""

from __future__ import annotations

from typing import Any

import numpy as np

# Sampler and dimension. W1, W2 and W3 have matrices that are full; W5 is bound by the random numbers.
WORKLOADS = {"W1": ("sgd", 10), "W2": ("sgld", 10), "W3": ("momentum", 10), "W5": ("sgd", 1)}


def problem_of(d: int) -> Any:
    """A stable problem with non-commuting A and C and a start away from the optimum."""
    from sgtheory.problem import Problem

    source = np.random.default_rng(d)
    g, h = source.standard_normal((2, d, d)) / np.sqrt(d)
    A, C = g @ g.T + np.eye(d), h @ h.T + np.eye(d)
    content = {"hessian": ((A + A.T) / 2).tolist(), "noise": ((C + C.T) / 2).tolist()}
    params = {"eps": 0.05, "mu": 0.3}
    return Problem.of({**content, "N": 4, "S": 4, "params": params, "start": {"theta": [1] * d}})


def bound_of(sampler: str, d: int, dtype: str) -> Any:
    """A sampler on that problem as ``simulate`` binds it."""
    from sgtheory import registry
    from sgtheory.setting import Setting
    from simulators.bind import bind
    from simulators.lower import lower
    from simulators.rewrites import FOLD, drop_identities

    problem, declared = problem_of(d), registry.sampler(sampler)
    values = problem.values(declared)
    program = lower(Setting(declared, problem.model), (drop_identities(values), FOLD))
    return bind(program, values, dtype)
