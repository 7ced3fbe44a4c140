"""The diffusion that a sampler follows as its step vanishes, against its law at small steps."""

import numpy as np
import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.dynamics.density import stationary_density
from sgtheory.dynamics.vanishing import Loss, at_rest
from sgtheory.errors import UnusableInput
from sgtheory.operator.stationary import stationary
from sgtheory.problem import Problem

x, N, lam, alpha = sp.symbols("x N lambda alpha", positive=True)
U, G = (sp.Function(n, positive=True)(x) for n in "UG")
ONE = Loss(x, U.diff(x) / N, 1 / G - lam)


def test_both_signs_of_a_gradient_give_one_process():
    sampler = registry.sampler("psgld:algorithm1")
    other = Loss(x, U.diff(x) / N, lam - 1 / G, -1)
    assert at_rest(sampler, ONE).process == at_rest(sampler, other).process


def test_sgld_has_nothing_to_rest():
    found = at_rest(registry.sampler("sgld"), ONE)
    assert (found.rest, found.keeps) == ({}, {})
    assert found.process.drift == (-U.diff(x) / 2,)


def test_a_memory_of_other_examples_is_refused():
    with pytest.raises(UnusableInput, match="forget at once"):
        at_rest(registry.sampler("psgld:no_gamma"), (ONE, ONE))


def test_a_step_without_noise_of_its_size_is_refused():
    with pytest.raises((UnusableInput, ValueError)):
        at_rest(registry.sampler("rmsprop"), ONE)


@pytest.mark.long
@pytest.mark.parametrize("printing", ["algorithm1", "no_gamma", "eq3"])
def test_the_law_at_small_steps_is_near_the_limit(printing):
    params = {"eps": "1/32", "lambda": "1/2", "alpha": "1/2"}
    content = {
        "model": "quadratic",
        "hessian": [["1"]],
        "noise": [["0"]],
        "N": 1,
        "S": 1,
        "params": params,
    }
    law = stationary(f"psgld:{printing}", Problem.of(content), accuracy=1e-3)
    seen, _ = law.expect(lambda theta, *_: theta**2)
    density = stationary_density(at_rest(registry.sampler(f"psgld:{printing}"), ONE).process)
    at = np.linspace(-12, 12, 20_001)
    gain = 1 / (0.5 + abs(at))
    weight = np.exp(sp.lambdify((U, G, alpha), density)(at**2 / 2, gain, 0.5))
    assert seen == pytest.approx(weight @ at**2 / weight.sum(), abs=1 / 32)
