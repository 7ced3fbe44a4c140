"""The experiments of Brosse et al.: pieces by a second route, and each figure at a tiny scale."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sgtheory import law
from verification.experiments import datasets, experiment, perform
from verification.experiments.brosse2018.large import Place as Large
from verification.experiments.brosse2018.large import exact_gradient_variance
from verification.experiments.brosse2018.regression import (
    Labelled,
    expected_loss,
    gradient_variance,
    linearised,
    mean_loss,
    mode_of,
)
from verification.experiments.brosse2018.runs import Length, exact_runs, fitted, reduced
from verification.experiments.brosse2018.simulated import Place
from verification.experiments.job import Job
from verification.experiments.record import (
    FAILED,
    REPRODUCED,
    SHAPE,
    Amount,
    Comparison,
    Findings,
    Shape,
    verdict,
)


def _data(N=40, D=2, seed=0):
    source = np.random.default_rng(seed)
    X = source.standard_normal((N, D))
    return Labelled(X, np.where(source.random(N) < 1 / (1 + np.exp(-X @ np.ones(D))), 1.0, -1.0))


def _gradients(data, theta):
    """One example's gradient each, without the prior."""
    return (-data.y / (1 + np.exp(data.y * (data.X @ theta))))[:, None] * data.X


def test_the_mode_is_where_the_gradient_vanishes():
    data = _data()
    mode = mode_of(data)
    assert abs(_gradients(data, mode).sum(0) + mode).max() < 1e-10
    assert abs(mode_of(data.mirrored)).max() < 1e-12


def test_the_linearised_twin_has_the_gradients_and_curvatures():
    data = _data()
    mode, h = mode_of(data), 1e-5
    twin = linearised(data, mode)

    def of_twin(theta):
        return (twin.X @ theta - twin.y)[:, None] * twin.X

    assert np.allclose(of_twin(mode), _gradients(data, mode))
    for e in np.eye(2):
        slope = (_gradients(data, mode + h * e) - _gradients(data, mode - h * e)) / (2 * h)
        assert np.allclose(of_twin(mode + e) - of_twin(mode), slope, atol=1e-8)


@pytest.mark.parametrize("sampler", ["lmc", "sgldfp", "sgld", "sgd"])
def test_exact_runs_against_sums_over_all_pairs(sampler):
    place = Place.of(_data(30))
    twin, length = place.twin(), Length(12, 3)
    found = exact_runs(sampler, twin, length)
    A = np.asarray(twin.examples.curvature, float)
    step = np.eye(2) - place.gamma * 30 * A
    P = {j: law(sampler, twin, at=j).covariance["theta", "theta"] for j in range(4, 13)}
    pairs = [np.linalg.matrix_power(step, max(j, k) - min(j, k)) @ P[min(j, k)] for j in P for k in P]
    square = sum(float(np.trace(p)) for p in pairs) / 81
    assert found.mean_square == pytest.approx(square, rel=1e-9)
    traces = sum(float(np.trace(p)) for p in P.values())
    assert found.trace == pytest.approx((traces - 9 * square) / 8, rel=1e-9)


def test_long_runs_spread_as_the_law_says_of_averages():
    place = Place.of(_data(30))
    found = exact_runs("sgld", place.twin(), Length(1600, 1000)).average
    average = law("sgld", place.twin(), average=600).average
    assert average is not None
    assert np.allclose(found, average.covariance, rtol=1e-8)


def test_averages_and_traces_of_runs():
    states = np.random.default_rng(1).standard_normal((3, 50, 2))
    found = reduced(states)
    assert np.allclose(found.away, states.mean(1))
    assert np.allclose(found.traces, [np.trace(np.cov(s.T)) for s in states])


def test_variance_of_a_gradient_is_that_of_drawn_minibatches():
    data, S, source = _data(10), 3, np.random.default_rng(2)
    theta, mode = np.array([0.5, -1.0]), mode_of(data)
    for fixed in (None, mode):
        each = _gradients(data, theta) - (0 if fixed is None else _gradients(data, fixed))
        drawn = 10 / S * each[source.integers(10, size=(200_000, S))].sum(1)
        exact = gradient_variance(data, S, theta[None], fixed)[0]
        assert drawn.var(axis=0).mean() == pytest.approx(exact, rel=0.03)


def test_exact_variance_along_linear_chains():
    """The variance at a point, averaged over points with the exact mean and covariance."""
    place = Large.of(_data(20))
    rows, twin = place.twin(2)
    for sampler, fixed in (("sgd", None), ("sgldfp", place.mode)):
        root = np.linalg.cholesky(law(sampler, twin, at=5).covariance["theta", "theta"])
        points = place.mode + 2**0.5 * np.vstack([root.T, -root.T])
        seen = gradient_variance(rows, 2, points, fixed, linear=True).mean()
        assert exact_gradient_variance(sampler, twin, 5) == pytest.approx(seen, rel=1e-9)


def test_losses_under_a_normal_law():
    data, covariance = _data(), np.array([[0.5, 0.2], [0.2, 0.3]])
    draws = np.random.default_rng(4).multivariate_normal([1, -1], covariance, 20_000)
    seen = mean_loss(data, draws)
    error = 6 * seen.std() / len(seen) ** 0.5
    assert abs(seen.mean() - expected_loss(data, np.array([1.0, -1.0]), covariance)) < error


def test_a_slope_has_an_interval():
    source = np.random.default_rng(5)
    places = [10.0, 100.0, 1000.0]
    values = [p**-0.5 * np.exp(0.1 * source.standard_normal(100)) for p in places]
    found = fitted(places, values, 1)
    assert abs(found.value + 0.5) < found.error < 0.1


def test_printed_numbers_on_a_synthetic_set_are_not_reproduced():
    """At most the shape is: the paper's numbers are of other data."""
    numbers = (Comparison("slope", "2", Amount(2.0, 0.1)),)
    fine = (Shape("it grows", "", True, "", False),)
    chosen = experiment("brosse2018.figure3")
    assert verdict(chosen, Findings((), numbers, shapes=fine))[0] == REPRODUCED
    word, sentence = verdict(chosen, Findings((), numbers, shapes=fine, standin=True))
    assert (word, "stand-in" in sentence) == (SHAPE, True)


def test_covertype_says_what_it_is(tmp_path):
    found = datasets.covertype(count=600)
    assert "synthetic" in found.words
    assert found.X.shape == (500, 54)
    assert np.allclose([found.X[:, 10:14].sum(1), found.X[:, 14:].sum(1)], 1)
    np.savez(tmp_path / "own.npz", X=np.ones((24, 3)), y=np.array([1, 2] * 12))
    own = datasets.covertype({"covtype": str(tmp_path / "own.npz")})
    assert (own.kind, set(own.y), len(own.test_X)) == ("real", {-1.0, 1.0}, 4)


TINY = {
    "figure1": {"sizes": (100, 150, 200), "lmc": 200, "trajectories": 20, "twins": 64,
                "checked": (100,)},
    "figure3": {"sizes": (100, 200), "examples": 600, "chains": 20, "steps": 20, "twins": 64,
                "twin_steps": 10},
    "figure4": {"sizes": (100, 200), "examples": 600, "test": 50, "chains": 16, "steps": (40, 40),
                "times": 4, "twins": 64, "twin_steps": 10},
}  # fmt: skip
TINY["figure2"] = TINY["figure1"]


LATER = [pytest.param(name, marks=pytest.mark.long) for name in ("figure1", "figure3")]


@pytest.mark.parametrize("figure", ["figure2", "figure4", *LATER])
@pytest.mark.strong
def test_each_figure_at_a_tiny_scale(figure):
    name = f"brosse2018.{figure}"
    found = experiment(name).run(Job(name, "laptop", TINY[figure], keep=False))
    assert min(len(found.plots), len(found.agreements), len(found.shapes)) > 0
    assert all(re.fullmatch("[a-z][a-z0-9-]*", plot.name) for plot in found.plots)
    assert all(a.agrees for a in found.agreements)
    blind = any(s.holds and s.twin_holds for s in found.shapes)  # so few chains decide little
    assert (verdict(experiment(name), found)[0] == FAILED) == blind


@pytest.mark.long
@pytest.mark.parametrize("figure", sorted(TINY))
def test_each_figure_on_a_laptop(figure):
    result = perform(f"brosse2018.{figure}", keep=False)
    assert result.word != FAILED
    assert all(s.holds and not s.twin_holds for s in result.findings.shapes)
