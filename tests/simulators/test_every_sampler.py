"""Samplers whose steps are not linear, found by scanning: their kernels against the plain interpreter.

A step is taken from the same states and on the same noise, so that nothing but roundings differs: some
tens of them, amplified by divisions. Chains that have grown beyond bounds are compared no further.
"""

import json
from functools import cache

import numpy as np
import pytest

from reports.pages.sampler import example
from sgtheory import registry
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators import interpret
from simulators.bind import bind
from simulators.lower import lower
from simulators.moments import LANES
from tests.sgtheory.scanning import nonlinear
from tests.simulators.steps import states_of

STEPS, SEED, LARGE = 6, 9, 1e8
OTHERS = [
    f"{name}:{word}"
    for name in nonlinear()
    if registry.family(name)
    for word in registry.family(name).examples
    if word != registry.family(name).default
]


@cache
def bound_of(name):
    """A sampler on the example of its page; annealed, and past its burn-in in the last steps."""
    sampler = registry.sampler(name)
    problem = Problem.of(json.loads(example(sampler)) | {"start": {"theta": [1, "-1/2"]}})
    given = {"gamma": "1/2", "burnin": STEPS - 1}
    params = {k: v for k, v in given.items() if k in {p.name for p in sampler.parameters}}
    problem = problem.with_params(**params)
    values = problem.values(sampler)
    return bind(lower(Setting(sampler, problem.model), examples=values.count), values)


def worst(b, engine, shift=0):
    """The largest difference of a step from the interpreter's, relative to the numbers' size."""
    chains, found = np.arange(LANES), 0.0
    x = engine.start(0, 1, SEED)
    for step in range(STEPS):
        state = states_of(b, engine.host(x).copy())
        expected = interpret.interpret(b, chains, step + shift, 1, SEED, state)
        engine.advance(x, 0, step, 1, SEED)
        got = states_of(b, engine.host(x))
        usual = np.all([(abs(s) < LARGE) for part in (state, expected) for s in part.values()], axis=0)
        for s in b.program.states:
            gap = abs(got[s] - expected[s]) / (1 + abs(expected[s]))
            found = max(found, float(gap[usual].max(initial=0.0)))
        assert step > 0 or usual.all()
    return found


@pytest.mark.parametrize("name", [*nonlinear(), *OTHERS])
def test_the_processors_steps_are_the_interpreters(cpu_engine, name):
    b = bound_of(name)
    engine = cpu_engine(b)
    assert worst(b, engine) < 1e-9
    assert worst(b, engine, shift=1) > 1e-4  # the wrong twin: the noise of another step


def agree(tools, b, cpu_engine, host_engine):
    ends = []
    for engine in (cpu_engine(b), host_engine(b)):
        x = engine.start(5, 2, SEED)
        engine.advance(x, 5, 0, STEPS, SEED)
        ends.append(engine.host(x))
    return tools.same_bits(*ends)


@pytest.mark.parametrize(
    "name", [*nonlinear(), *(pytest.param(n, marks=pytest.mark.long) for n in OTHERS)]
)
def test_the_cuda_text_gives_the_processors_bits(tools, cpu_engine, host_engine, name):
    assert agree(tools, bound_of(name), cpu_engine, host_engine)
