"""Steps as people write them: the law that is derived and the ensemble that is run are of one chain."""

import numpy as np
import pytest
from sympy import sqrt

from sgtheory.declare import Card, Sampler, full_gradient, gradient, local, normal, positive, state
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators.ensemble import simulate

theta, m, v, old, anchor, g = state("theta m v old anchor g")
new, ahead, between = local("new ahead between")
xi = normal("xi")
lr, w, mu = positive("lr w mu")
VALUES = {"lr": "1/16", "w": "1/2", "mu": "1/4"}
plain = (theta, theta - lr * gradient(theta))
pulled = theta - lr * gradient(theta) - lr * w * (theta - anchor)
corrected = gradient(theta) - gradient(anchor) + full_gradient(anchor)

STEPS = {
    "a moving mean": (plain, (m, (1 - w) * m + w * theta)),
    "a gradient ahead": ((v, mu * v - lr * gradient(theta + mu * v)), (theta, theta + v)),
    "a gradient at a local": (
        (ahead, theta + mu * (theta - old)),
        (old, theta),
        (theta, ahead - lr * gradient(ahead)),
    ),
    "two minibatches at once": (
        (theta, theta - lr / 2 * gradient(theta) - lr / 2 * gradient(theta, 1)),
    ),
    "a gradient that is gathered": ((g, (1 - w) * g + w * gradient(theta)), (theta, theta - lr * g)),
    "a point that never moves": ((anchor, anchor), (theta, pulled + sqrt(lr) * xi)),
    "a point that follows": ((theta, pulled), (anchor, (1 - mu) * anchor + mu * theta)),
    "decoupled decay": ((v, mu * v + gradient(theta)), (theta, (1 - lr * w) * theta - lr * v)),
    "coupled decay": ((v, mu * v + gradient(theta) + w * theta), (theta, theta - lr * v)),
    "variance reduced": (
        (theta, theta - lr * corrected + sqrt(lr) * xi),
        (anchor, (1 - w) * anchor + w * theta),
    ),
    "a gradient beyond": ((new, theta - lr * gradient(2 * theta - old)), (old, theta), (theta, new)),
    "dampened": ((v, mu * v + (1 - w) * gradient(theta)), (theta, theta - lr * v)),
    "two stages": (
        (between, theta - lr * full_gradient(theta)),
        (theta, theta - lr / 2 * (full_gradient(theta) + full_gradient(between)) + sqrt(lr) * xi),
    ),
}
X, Y = [["1", f"{k}/2"] for k in range(-3, 4)], ["1/3", "2", "-1", "3/2", "0", "2", "5"]
MODELS = {
    "data": {"model": "linear_regression", "X": X, "y": Y, "ridge": 1, "S": 2},
    "quadratic": {
        "model": "quadratic",
        "hessian": [[2, "1/2"], ["1/2", 1]],
        "noise": [[1, "1/4"], ["1/4", 2]],
        "N": 7,
        "S": 2,
        "start": {"theta": [1, -2]},
    },
}
_FAR = 6.5  # standard errors: of 13 x 2 x 2 runs with a dozen numbers each, by chance one in 10^7


def declared(updates):
    """The sampler of some updates, whose states are what is written and no local."""
    states = [t for t, _ in updates if t not in (new, ahead, between)]
    noises = (xi,) if any(e.has(xi) for _, e in updates) else ()
    return Sampler(tuple(states), updates, Card(loss="mean", drift="lr"), noises=noises)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("steps", [2, pytest.param(30, marks=pytest.mark.strong)])
def test_an_ensemble_has_the_law_that_is_derived(name, model, steps):
    of = declared(STEPS[name])
    params = {p.name: VALUES[p.name] for p in of.parameters}
    problem = Problem.of({**MODELS[model], "params": params})
    chains = 20_000 if steps == 2 else 200_000
    exact = law(of, problem, at=steps)
    seen = simulate(
        Setting(of, problem.model), problem.values(of), chains=chains, steps=steps, seed=steps
    )
    for one in (s.name for s in of.state):
        variance = np.diag(exact.covariance[one, one])
        spread = np.sqrt(variance / chains) + 1e-9  # what does not move is known to rounding
        assert np.all(np.abs(seen.mean[one] - exact.mean[one]) < _FAR * spread), one
        scale = np.sqrt(np.outer(variance, variance)) * 2 / chains**0.5 + 1e-12
        off = np.abs(seen.covariance[f"{one},{one}"] - exact.covariance[one, one])
        assert np.all(off < _FAR * scale), one


@pytest.mark.parametrize("name", [n for n in STEPS if n != "a point that never moves"])
def test_many_steps_lead_to_the_limit(name):
    of = declared(STEPS[name])
    params = {p.name: VALUES[p.name] for p in of.parameters}
    problem = Problem.of({**MODELS["data"], "params": params})
    limit, late = law(of, problem), law(of, problem, at=3000)
    for one in (s.name for s in of.state):
        assert np.allclose(limit.mean[one], late.mean[one], atol=1e-7)
        assert np.allclose(limit.covariance[one, one], late.covariance[one, one], rtol=1e-6, atol=1e-10)


def test_of_a_point_that_never_moves_there_are_laws_of_every_step_and_no_limit():
    of = declared(STEPS["a point that never moves"])
    problem = Problem.of({**MODELS["data"], "params": {"lr": "1/16", "w": "1/2"}})
    assert not law(of, problem).stable
    assert not law(of, problem, at=100).mean["anchor"].any()
