"""Figure 6 of Mandt et al. (2017): its pieces by a second route, and a small run."""

from dataclasses import replace

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.setting import Setting
from simulators import philox
from simulators.bind import bind
from simulators.interpret import interpret, start
from simulators.lower import lower
from simulators.program import MINIBATCH
from verification.experiments import Job, perform
from verification.experiments.mandt2017 import figure6, softmax
from verification.experiments.problems import problem_on

RNG = np.random.default_rng(4)
X, Y = RNG.standard_normal((12, 2)), RNG.integers(0, 3, 12)


def test_gradient_is_that_of_finite_differences():
    theta, small = RNG.standard_normal((2, 3)), 1e-6
    found = softmax.gradient(theta, X, Y)
    for i in np.ndindex(theta.shape):
        up, down = theta.copy(), theta.copy()
        up[i], down[i] = theta[i] + small, theta[i] - small
        slope = (softmax.loss(up, X, Y) - softmax.loss(down, X, Y)) / (2 * small)
        assert found[i] == pytest.approx(slope, abs=1e-8)


def test_a_step_is_that_of_the_declared_sampler():
    content = {"model": "softmax_regression", "classes": 3, "S": 4}
    content["params"] = {"eps": "1/10", "rho": "1/5", "c": "1/2", "lambda0": 2}
    problem = problem_on(content, X=X, y=Y)
    sampler = registry.sampler("vem_sgd")
    values = problem.values(sampler)
    bound = bind(lower(Setting(sampler, problem.model), (), True, values.count), values)
    chains, theta, precision = np.arange(1), np.zeros((2, 3)), 2.0
    state = start(bound, chains, 7)
    for t in range(5):
        rows = philox.indices(7, MINIBATCH, chains, t, 0, 12, 4, True)[0]
        state = interpret(bound, chains, t, 1, 7, state)
        noisy = softmax.gradient(theta, X[rows], Y[rows])
        theta, precision = softmax.step(theta, precision, noisy, 0.1, 0.2 * (1 + t) ** -0.5, 12)
    assert np.allclose(state["theta"][0], theta.T.ravel(), rtol=1e-12)
    assert np.allclose(state["lambda"][0], precision, rtol=1e-12)
    other = softmax.step(theta, precision, noisy, 0.11, 0.2, 12)[0]
    assert not np.allclose(state["theta"][0], other.T.ravel(), rtol=1e-6)


def test_bbvi_finds_the_evidence_where_it_is_known():
    # two classes and no features but noise: the weights' bound is best at a large precision
    rng = np.random.default_rng(2)
    rows, labels = rng.standard_normal((400, 3)), rng.integers(0, 2, 400)
    found = softmax.by_bbvi(rows, labels, 2, 50, 2000, 1.0, rng)
    assert found.precision > 20


def test_rates():
    theta = softmax.fit(X, Y, 3, 1.0)
    per_example = np.array([softmax.gradient(theta, X[[k]], Y[[k]]).ravel() for k in range(12)])
    C = np.cov(per_example.T, bias=True)
    assert softmax.best_rate(theta, X, Y, 2) == pytest.approx(2 * 2 * 6 / (12 * np.trace(C)))
    small, hessian = 1e-5, []
    for k in range(6):
        unit = small * np.eye(6)[k].reshape(2, 3)
        gap = softmax.gradient(theta + unit, X, Y) - softmax.gradient(theta - unit, X, Y)
        hessian.append(gap.ravel() / (2 * small))
    largest = np.linalg.eigvalsh(np.array(hessian) + np.eye(6) / 12).max()
    assert softmax.stable_rate(theta, X, Y, 1.0, 500) == pytest.approx(2 / largest, rel=1e-5)


def test_reach_is_the_lesser_loss_of_a_factor_of_ten():
    curve = figure6.Curve((10.0, 1.0, 0.1), (3.0, 1.0, 2.0), {}, {}, {}, 1.0, 1.0)
    assert curve.reach() == 1.0


SIZES = {"square": 7, "S": 2, "sgd": 400, "bbvi": 200, "grid": 3, "cover": 200, "cover_test": 50}


def test_a_small_run(monkeypatch):
    full = figure6.datasets.mnist()
    few = replace(full, X=full.X[:200], y=full.y[:200], test_X=full.test_X[:50], test_y=full.test_y[:50])
    monkeypatch.setattr(figure6.datasets, "mnist", lambda files: few)
    found = figure6.run(Job("mandt2017.figure6", "laptop", SIZES, keep=False))
    assert len(found.plots) == 4
    assert [d.kind for d in (figure6.cover_like(Job("x", "laptop", SIZES)),)] == ["synthetic"]


@pytest.mark.long
def test_laptop_run():
    found = perform("mandt2017.figure6", keep=False).findings
    assert not any(s.twin_holds for s in found.shapes)
