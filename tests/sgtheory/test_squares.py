"""How sample variances scatter on real minibatches, by enumerating minibatches and by exact moments."""

import itertools

import numpy as np
import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.numbers import squares
from sgtheory.numbers.fourth import fourth_moments
from sgtheory.numbers.runs import Chain, Schedule
from sgtheory.setting import Setting

X = np.array([[1.0, 0.2], [0.4, -1.0], [-0.5, 0.9], [2.0, 0.3], [0.1, 0.7]])
Y = np.array([0.5, -1.0, 2.0, 0.3, -0.2])
DATA = {"model": "linear_regression", "X": X, "y": Y, "ridge": 1, "start": {"theta": [0, 0]}}


def chain(name, S, params, data=DATA):
    problem, sampler = sg.Problem.of(data | {"S": S, "params": params}), registry.sampler(name)
    return problem, Chain.of(Setting(sampler, problem.model), problem.values(sampler), follow=True)


def normal_points(covariance, order=5):
    x, w = np.polynomial.hermite_e.hermegauss(order)
    root = np.linalg.cholesky(covariance)
    for (a, p), (b, q) in itertools.product(zip(x, w, strict=True), repeat=2):
        yield root @ np.array([a, b]), p * q / w.sum() ** 2


def long_run_by_enumeration(name, S, step, covariance, direction, mode):
    """g - E g' = (a.x)^2 solved for the six coefficients of g, then E Var(g(x') | x) over minibatches.

    Injected noise is one of normal_points too, so that all polynomials have their exact means.
    """
    injected = {"sgd": 0.0, "sgldfp": (2 * step) ** 0.5}[name]
    factor = {"sgd": step, "sgldfp": step * 5}[name]
    A, batches = X.T @ X / 5 + np.eye(2) / 5, list(itertools.product(range(5), repeat=S))
    noises = list(normal_points(injected**2 * np.eye(2))) if injected else [(np.zeros(2), 1.0)]

    def moved(x):
        for batch in batches:
            rows = list(batch)
            residual = X[rows] @ (x + mode) - Y[rows] if name == "sgd" else X[rows] @ x
            shared = (x + mode) / 5 if name == "sgd" else x / 5
            y = x - factor * (X[rows].T @ residual / S + shared)
            for noise, weight in noises:
                yield y + noise, weight / len(batches)

    def terms(x):
        return np.array([x[0], x[1], x[0] ** 2, x[0] * x[1], x[1] ** 2, 1.0])

    some = np.random.default_rng(0).normal(size=(6, 2))
    now = np.array([terms(x) for x in some])
    later = np.array([sum(w * terms(y) for y, w in moved(x)) for x in some])
    K = np.linalg.solve(now, later).T  # E terms(x') = K^T-wise on coefficients
    asked = np.array([0, 0, direction[0] ** 2, 2 * direction[0] * direction[1], direction[1] ** 2])
    g = np.linalg.solve((np.eye(6) - K.T)[:5, :5], asked)
    assert np.allclose(A, A.T)
    total = 0.0
    for x, weight in normal_points(covariance):
        values = np.array([(terms(y)[:5] @ g, w) for y, w in moved(x)])
        mean = values[:, 0] @ values[:, 1]
        total += weight * ((values[:, 0] - mean) ** 2 @ values[:, 1])
    return total


@pytest.mark.parametrize(
    ("name", "S", "params"),
    [("sgd", 1, {"eps": 0.2}), ("sgd", 2, {"eps": 0.5}), ("sgldfp", 1, {"gamma": 0.05})],
)
def test_the_long_run_variance_is_that_of_an_enumeration(name, S, params):
    problem, one = chain(name, S, params)
    mode = np.array([float(x) for x in problem.examples.mode])
    followed = one.moments
    assert squares.is_known(followed.cycle, followed.resting)
    directions = np.array([[1.0, 0.0], [0.6, -0.8]])
    found = squares.long_run(followed.cycle, followed.map, followed.settled, directions)
    (step,) = params.values()
    for direction, value in zip(directions, found, strict=True):
        other = long_run_by_enumeration(name, S, step, followed.settled, direction, mode)
        assert value == pytest.approx(other, rel=1e-8)


@pytest.mark.parametrize("S", [4, 40])
def test_it_is_near_what_exact_fourth_moments_say(S):
    """In one dimension squares decay by one factor, and E x^4 is known: no mean over a normal law."""
    x = np.random.default_rng(1).standard_t(5, size=(200, 1))
    data = {"model": "linear_regression", "X": x, "y": x[:, 0], "ridge": 1, "start": {"theta": [0]}}
    problem, one = chain("sgldfp", S, {"gamma": 0.2 / float((x**2).sum())}, data)
    moments, P = fourth_moments("sgldfp", problem), one.moments.settled[0, 0]
    rate = one.moments.map[2, 2]
    exact = (moments.central(0, 0, 0, 0) - P**2) * (1 + rate) / (1 - rate)
    (found,) = squares.long_run(one.moments.cycle, one.moments.map, one.moments.settled, np.eye(1))
    normal = 2 * P**2 * (1 + one.modes.M()[0, 0, 0] ** 2) / (1 - one.modes.M()[0, 0, 0] ** 2)
    assert exact > 1.02 * normal
    assert abs(found / exact - 1) < 0.3 * (
        exact / normal - 1
    )  # what is left is the chain's own kurtosis
    late = Schedule(10_000, 10_000)
    ratio = one.sharpened.scatter(late, np.eye(1)) / one.scatter(late, np.eye(1))
    np.testing.assert_allclose(ratio, found / normal, rtol=1e-9)


def test_it_is_not_told_where_it_is_not_known():
    for name, S, params in (("momentum", 2, {"eps": 0.1, "mu": 0.4}), ("sgld", 5, {"eps": 0.01})):
        _, one = chain(name, S, params)
        assert one.sharpened.by_examples == (name == "sgld")
    assert not one.quick.sharpened.by_examples
