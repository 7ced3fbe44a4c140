"""The transition operator against exact laws, closed densities and simulation; its errors are honest."""

from dataclasses import replace

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
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


@pytest.mark.parametrize("word", ["BAOAB", "OBABO", "OABAO"])
def test_splittings_on_labels_are_the_steps_written_by_hand(word):
    """Roots inside of the logistic function are numbers; a kick that is 1 % off is another step."""
    content = {**LABELS, "S": 4, "replacement": False, "params": {"eps": "1/8", "gamma": 1}}
    problem, name = Problem.of(content), f"underdamped:{word}"
    step = one_step(Setting(registry.sampler(name), problem.model), problem.values(name))
    assert len(step.noises) == word.count("O")
    xi = np.array([0.3, -1.2])[: len(step.noises)]
    X, y = np.array([1, 2, -1, 3.0]), np.array([1, 1, 1, -1.0])

    def by_hand(kick):
        x, v, noises = 0.7, -0.4, iter(xi)
        c = np.exp(-0.125 / word.count("O"))
        for letter in word:
            part = 0.125 / word.count(letter)
            if letter == "A":
                x += part * v
            elif letter == "B":
                v -= kick * part * (np.sum(-y * X / (1 + np.exp(y * X * x))) + x)
            else:
                v = c * v + np.sqrt(1 - c * c) * next(noises)
        return x, v

    batch = np.ones((1, 4)) if step.batches[0].shape[1] == 4 else np.ones((1, 8))
    got = np.ravel(step.after(np.array([0.7]), np.array([-0.4]), *batch.T, *xi))
    assert got == pytest.approx(by_hand(1), rel=1e-12)
    assert got != pytest.approx(by_hand(1.01), rel=1e-5)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("sghmc_refreshed", {"eta": "1/32", "alpha": "1/2", "L": 2}),
        ("iasg", {"eps": "1/4", "T": 2}),
        ("reshuffled_sgd", {"eps": "1/4"}),
    ],
)
def test_a_period_is_one_step(name, params):
    content = {**QUADRATIC, "S": 2 if name == "reshuffled_sgd" else 1}
    problem = Problem.of({**content, "params": params})
    found, exact = stationary(name, problem), law(name, problem).covariance["theta", "theta"][0, 0]
    measured, error = found.covariance("theta", "theta")
    assert abs(measured - exact) <= error + 1e-12
    assert abs(1.001 * exact - measured) > 100 * error
    longer = {k: 8 if k in ("L", "T") else v for k, v in params.items()}
    with pytest.raises(UnusableInput, match="at most 4 steps"):
        stationary(name, Problem.of({**content, "N": 40, "params": longer}))


def test_an_epoch_of_data_is_refused_in_words():
    labels = Problem.of({**LABELS, "S": 1, "params": {"eps": "1/4"}})
    with pytest.raises(UnusableInput, match="one Gaussian gradient noise in each step"):
        _ = Setting(registry.sampler("reshuffled_sgd"), labels.model).updates
    quadratic = registry.model("quadratic")
    assert len(Setting(registry.sampler("reshuffled_sgd"), quadratic).updates) == 3


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
        pytest.param("sgld", {**LABELS, "S": 2, "params": {"eps": "1/4"}}, marks=pytest.mark.strong),
        pytest.param("sgldfp", {**LABELS, "S": 2, "params": {"gamma": "1/8"}}, marks=pytest.mark.long),
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
