"""Laws that do not fill their space: what varies is tested in the range, and nothing may leave it."""

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators.ensemble import simulate
from verification.measuring.ensembles import against
from verification.statistics import compare, kinds
from verification.statistics.support import Support

L = np.array([[1.0, 0.0], [2.0, 1.0], [0.5, -3.0]])
EXACT, MEAN, N = L @ L.T, np.array([1.0, -2.0, 0.0]), 500


def sample(leak=0.0, seed=0):
    source = np.random.default_rng(seed)
    x = source.standard_normal((N, 2)) @ L.T + MEAN + leak * source.standard_normal((N, 3))
    return x.mean(0), np.cov(x.T, bias=True)


def test_the_range_is_found_and_whitened():
    support = Support.of(MEAN, EXACT, N)
    assert (support.rank, len(support.outside)) == (2, 1)
    assert support.whiten @ EXACT @ support.whiten.T == pytest.approx(np.eye(2), abs=1e-12)
    assert support.outside @ EXACT == pytest.approx(np.zeros((1, 3)), abs=1e-12)
    assert len(kinds(MEAN, EXACT)) == 3 + 6 + 3


def test_a_thin_law_agrees_with_its_own_sample():
    found = compare(*sample(), MEAN, EXACT, N, 1e-6)
    assert found.agrees
    assert {t.name for t in found.tests} >= {"outside the range", "whole covariance"}
    assert found.adjusted["outside the range"] == 1.0
    assert found.sees("outside the range") == 0.0


@pytest.mark.parametrize("leak", [1e-5, 1e-4, 0.1])
def test_a_sample_that_leaves_the_range_is_found_however_little(leak):
    """Of what is tested in the range nothing is seen: only this test can find it."""
    found = compare(*sample(leak), MEAN, EXACT, N, 1e-6)
    assert "outside the range" in found.rejected
    if leak < 0.01:
        assert found.rejected == ("outside the range",)


def test_a_small_variance_is_tested_and_not_taken_for_none():
    exact = EXACT + 1e-6 * np.eye(3)
    support = Support.of(MEAN, exact, N)
    assert support.rank == 3
    found = compare(*sample(1e-3), MEAN, exact, N, 1e-6)
    assert found.agrees
    assert not compare(*sample(2e-3), MEAN, exact, N, 1e-6).agrees


def test_a_variance_below_rounding_is_bounded_from_above():
    exact = EXACT + 1e-13 * np.eye(3)
    support = Support.of(MEAN, exact, 10**6)
    assert support.rank == 2
    assert support.left > 0
    about = EXACT.copy()
    assert support.leak_p_value(about, 10**6) == 1.0
    assert support.leak_p_value(about + 1e-9 * np.eye(3), 10**6) < 1e-6


def test_a_coordinate_that_stands_still():
    exact = np.diag([1.0, 0.0])
    x = np.random.default_rng(0).standard_normal((N, 2)) * [1, 0] + [0, 5]
    assert compare(x.mean(0), np.cov(x.T, bias=True), np.array([0.0, 5.0]), exact, N, 1e-6).agrees
    x[7, 1] += 1e-3
    found = compare(x.mean(0), np.cov(x.T, bias=True), np.array([0.0, 5.0]), exact, N, 1e-6)
    assert found.rejected == ("outside the range",)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "steps", "rank"), [("sgd", 40, 1), ("momentum", 1, 2)])
def test_rounding_of_real_ensembles_stays_within_its_bound(name, steps, rank, dtype):
    problem = Problem.of(
        {"hessian": [[2, 1], [1, 2]], "noise": [[1, 1], [1, 1]] if rank == 1 else [[1, 0], [0, 2]],
         "N": 4, "S": 1, "params": {"eps": "1/5", "mu": "3/10"}, "start": {"theta": [3, -1]}}
    )  # fmt: skip
    sampler = registry.sampler(name)
    run = simulate(
        Setting(sampler, problem.model), problem.values(sampler), chains=100_000, steps=steps, seed=3,
        dtype=dtype, device="cpu",
    )  # fmt: skip
    exact = law(name, problem, at=steps)
    found = against(run, exact, 1e-6)
    assert found.agrees, found.rejected
    assert "outside the range" in found.adjusted
    # a millionth of a standard deviation outside is no rounding in float64
    if dtype == "float64":
        other = {**run.covariance, "theta,theta": run.covariance["theta,theta"] + 1e-10 * np.eye(2)}
        worse = type(run)(**{**vars(run), "covariance": other})
        assert "outside the range" in against(worse, exact, 1e-6).rejected


def test_long_runs_in_single_precision_are_tested_in_every_direction():
    """Rounding is no excuse: a thousand steps in float32 leave all six numbers in the range."""
    exact = 0.9 * np.ones((6, 6)) + 0.1 * np.eye(6)
    support = Support.of(np.ones(6), exact, 10**6, "float32", 1_000)
    assert (support.rank, len(support.outside)) == (6, 0)
    nearly = 0.9999999 * np.ones((6, 6)) + 1e-7 * np.eye(6)
    assert Support.of(np.ones(6), nearly, 10**6, "float32", 1_000).rank == 1
    assert Support.of(np.ones(6), nearly, 10**6, "float64", 1_000).rank == 6


@pytest.mark.filterwarnings("error")
def test_a_mean_that_has_all_but_vanished_is_measured_beside_the_others():
    """A nilpotent step leaves 1e-235 of a coordinate, whose square is no number."""
    exact, mean = np.diag([0.0, 0.0, 1.0]), np.array([1e-235, -2.0, 0.0])
    support = Support.of(mean, exact, N)
    assert np.isfinite(support.outside).all()
    x = np.random.default_rng(0).standard_normal((N, 3)) * [0, 0, 1] + mean
    assert compare(x.mean(0), np.cov(x.T, bias=True), mean, exact, N, 1e-6).agrees
    x[7, 0] += 1e-6
    found = compare(x.mean(0), np.cov(x.T, bias=True), mean, exact, N, 1e-6)
    assert found.rejected == ("outside the range",)
