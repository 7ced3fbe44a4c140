"""The transition operator against exact laws, closed densities and simulation; its errors are honest."""

from dataclasses import replace

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.numeric import law
from sgtheory.operator import stationary
from sgtheory.operator.grid import Axis, Grid
from sgtheory.operator.step import one_step
from sgtheory.problem import Problem
from sgtheory.setting import Setting

QUADRATIC = {"hessian": [[2]], "noise": [[1]], "N": 4, "S": 1}
WELL = {"model": "double_well", "noise": [[1]], "N": 1, "S": 1}
LABELS = {"model": "logistic_regression", "X": [[1], [2], [-1], [3]], "y": [1, 1, 1, -1], "ridge": 1}


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("sgd", {"eps": "1/4"}),
        ("sgld", {"eps": "1/8"}),
        ("lmc", {"gamma": "1/8"}),
        ("sgfs", {"eps": "1/8", "E": [[1]]}),
        ("momentum", {"eps": "1/4", "mu": "1/2"}),
        ("sghmc", {"eta": "1/64", "alpha": "1/4"}),
    ],
)
def test_affine_chains_have_their_exact_law(name, params):
    problem = Problem.of({**QUADRATIC, "params": params})
    found, exact = stationary(name, problem), law(name, problem)
    for (a, b), value in exact.covariance.items():
        measured, error = found.covariance(a, b)
        assert abs(measured - value[0, 0]) <= error + 1e-12
        assert error < 1e-6
        assert abs(1.001 * value[0, 0] - measured) > 100 * error  # a wrong law is told apart
    assert abs(found.mean("theta")[0]) < 1e-8


def test_minibatches_are_listed_with_their_probabilities():
    for replacement, many in ((True, 10), (False, 6)):
        content = {**LABELS, "S": 2, "replacement": replacement, "params": {"eps": "1/4"}}
        problem = Problem.of(content)
        step = one_step(Setting(registry.sampler("sgld"), problem.model), problem.values("sgld"))
        counts, weights = step.batches
        assert len(counts) == many
        assert weights.sum() == pytest.approx(1, abs=1e-14)
        assert (counts.sum(axis=1) == 2).all()
        assert weights @ counts == pytest.approx(np.full(4, 0.5), abs=1e-14)
        # the mean over all minibatches is the full gradient
        x, X, y = 0.7, np.array([1, 2, -1, 3.0]), np.array([1, 1, 1, -1.0])
        full = np.mean(-y * X / (1 + np.exp(y * X * x))) + x / 4
        nodes, shares = step.quadrature(8)
        after = step.after(np.full(len(nodes), x), *nodes.T)[0]
        assert x - shares @ after == pytest.approx(0.125 * 4 * full, rel=1e-12)


def test_a_known_density_of_a_small_step():
    """SGLD without gradient noise tends to exp(-U) as its step vanishes, at first order."""
    x = np.linspace(-6, 6, 4001)
    density = np.exp(-((x**2 - 1) ** 2) / 4)
    target = (x**2 * density).sum() / density.sum()
    gaps = []
    for eps in ("1/4", "1/8"):
        problem = Problem.of({**WELL, "noise": [[0]], "params": {"eps": eps}})
        value, error = stationary("sgld", problem).expect(lambda theta: theta**2)
        assert error < 1e-6
        gaps.append(value - target)
    assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sgld", {**WELL, "params": {"eps": "1/8"}}),
        ("sgld", {**LABELS, "S": 2, "params": {"eps": "1/4"}}),
        ("sgldfp", {**LABELS, "S": 2, "params": {"gamma": "1/8"}}),
    ],
    ids=("well", "minibatches", "control variates"),
)
def test_simulation_agrees(name, content):
    from simulators.ensemble import simulate

    problem = Problem.of(content)
    found = stationary(name, problem)
    run = simulate(
        Setting(registry.sampler(name), problem.model),
        problem.values(name),
        chains=400_000,
        steps=200,
        seed=11,
    )
    mean, mean_error = found.mean("theta")
    variance, error = found.covariance("theta", "theta")
    assert max(mean_error, error) < 1e-6
    # 7 standard errors: two numbers, far below one false alarm in a billion
    assert abs(run.mean["theta"][0] - mean) < 7 * run.standard_error["mean"]["theta"][0]
    spread = run.standard_error["covariance"]["theta,theta"][0, 0]
    assert abs(run.covariance["theta,theta"][0, 0] - variance) < 7 * spread
    assert abs(run.covariance["theta,theta"][0, 0] - 1.05 * variance) > 7 * spread


def test_interpolation_is_exact_for_polynomials_and_nothing_beyond_the_ends():
    grid = Grid((Axis(-1.0, 1.0, 11), Axis(0.0, 2.0, 9, log=True)), 4)
    x = np.array([0.13, -0.9, 0.99, 5.0])
    y = np.exp(np.array([0.2, 1.9, 1.0, 3.0]))
    columns, values = grid.interpolation((x, y))
    f = lambda a, b: a**3 - 2 * a + np.log(b) ** 2 * a  # noqa: E731
    read = (values * f(*grid.nodes.T)[columns]).sum(axis=1)
    assert read[:3] == pytest.approx(f(x, y)[:3], abs=1e-12)
    assert read[3] == 0


def test_what_cannot_be_done_is_said():
    diverging = Problem.of({**WELL, "N": 4, "params": {"eps": "1/2"}})
    with pytest.raises(UnusableInput, match="reduce"):
        stationary("sgld", diverging)
    plane = Problem.of(
        {**QUADRATIC, "hessian": [[2, 0], [0, 1]], "noise": [[1, 0], [0, 1]], "params": {"eps": "1/4"}}
    )
    with pytest.raises(UnusableInput, match="one dimension"):
        stationary("sgd", plane)
    many = Problem.of(
        {**LABELS, "X": [[k] for k in range(1, 41)], "y": [1, -1] * 20, "S": 9, "params": {"eps": "1/8"}}
    )
    with pytest.raises(UnusableInput, match="minibatches"):
        stationary("sgld", many)


def test_noises_that_enter_as_one_sum_are_one():
    problem = Problem.of({**WELL, "params": {"eps": "1/8"}})
    sampler = registry.sampler("sgld")
    one = one_step(Setting(sampler, problem.model), problem.values(sampler))
    assert len(one.noises) == 1
    drawn = one.drawn(200_000, np.random.default_rng(1))
    spread = one.after(np.zeros(len(drawn)), *drawn.T)[0].std()
    assert spread == pytest.approx((1 / 8 + 1 / 256) ** 0.5, rel=0.01)
    # a factor that depends on the state keeps them apart
    theta, (xi,) = sampler.state[0], sampler.noises
    apart = replace(sampler, updates=((theta, sampler.updates[0][1] + theta * xi),))
    assert len(one_step(Setting(apart, problem.model), problem.values(apart)).noises) == 2


def test_a_table_of_examples_is_refused_by_name():
    data = {"model": "gaussian_mean", "X": [[1], [2], [4]], "S": 1, "params": {"eps": "1/8"}}
    with pytest.raises(UnusableInput, match="svrg_ld"):
        stationary("saga_ld", Problem.of(data))
