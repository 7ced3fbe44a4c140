"""Figures 3, 4 and 5 of Mandt et al. (2017): their pieces by a second route, and small runs of them."""

from dataclasses import replace

import numpy as np
import pytest

from sgtheory import law
from sgtheory.problem import Problem
from verification.experiments import Job, perform
from verification.experiments.mandt2017 import chains, figure3, figure5
from verification.experiments.mandt2017.artificial import artificial
from verification.experiments.mandt2017.nuts import available, nuts
from verification.experiments.mandt2017.paths import estimated, scheduled, windows


def made(N=200, D=2, sigma2=1.0):
    return artificial(np.random.default_rng(5), N, D, sigma2)


def test_the_posterior_is_that_of_the_toolkit():
    data = made(sigma2=0.5)
    problem = data.problem(4, {"eps": "1/10"})
    assert np.allclose(np.array(problem.examples.mode, float), data.mode, rtol=1e-12)
    curvature = np.array(problem.examples.A, float)
    assert np.allclose(len(data.X) * curvature, data.precision, rtol=1e-12)


def test_an_estimate_has_the_mean_and_scatter_of_draws():
    rng = np.random.default_rng(3)
    root = rng.standard_normal((6, 6)) / 2
    mean = rng.standard_normal(6)
    draws = (rng.standard_normal((200_000, 6)) @ root.T + mean).var(1, ddof=1)
    expected, scatter = estimated(mean, root @ root.T)
    assert abs(draws.mean() - expected) < 6 * scatter / len(draws) ** 0.5
    assert abs(draws.std() / scatter - 1) < 0.03
    assert abs(draws.mean() - estimated(0 * mean, root @ root.T)[0]) > 6 * scatter / len(draws) ** 0.5


def test_windows_are_the_law_of_longer_averages():
    # the mean of n windows is the average over all of them, which the law knows by itself
    problem = made().problem(4, {"eps": "1/20"})
    covariance, whole = windows(problem, 10, 5, 1), law("sgd", problem, average=50).average
    assert covariance.mean() == pytest.approx(whole.covariance[1, 1], rel=1e-10)
    assert windows(problem, 11, 5, 1).mean() != pytest.approx(whole.covariance[1, 1], rel=1e-3)


def test_a_path_is_the_law_after_as_many_steps():
    data = made()
    problem = chains.quadratic(data, chains.UPDATE, np.array([1.0, -2.0]))
    path = scheduled(problem, 7, 4)
    found = law("sgld_decreasing", problem, at=28)
    assert np.allclose(path.basis @ path.means[-1], found.mean["theta"], rtol=1e-10)
    there = path.basis @ path.covariances[-1] @ path.basis.T
    assert np.allclose(there, found.covariance["theta", "theta"], rtol=1e-10)
    # the recursion over matrices, and one coordinate's vector
    for k in range(2):
        assert path.expected()[-1][k, k] == pytest.approx(estimated(*path.vector(k))[0], rel=1e-10)


@pytest.mark.long
def test_the_excess_of_minibatches_is_that_of_the_exact_law():
    data = artificial(np.random.default_rng(5), 2000, 2)
    more, unsure = chains.excess(data, 12)
    quadratic = chains.path(data, chains.UPDATE, None, 12)
    steps = 200 * 11
    truth = law("sgld_decreasing", chains.problem(data, chains.UPDATE), at=steps)
    there = (quadratic.basis @ quadratic.covariances[10] @ quadratic.basis.T).diagonal()
    gap = truth.covariance["theta", "theta"].diagonal() - there
    assert (abs(gap - more[0]) <= unsure[0] + 1e-3 * gap).all()
    assert (abs(gap) > unsure[0]).all()


def test_what_resembles():
    assert figure3.resembles([0.9, 1.2], 100)
    assert not figure3.resembles([0.9, 0.3], 100)


SMALL = {
    "figure3": {"N": 2000, "D": 3, "windows": 20, "chains": 64, "lengths": 3},
    "figure5": {"N": 10_000, "D": 3, "passes": 20, "chains": 64, "warm": 20, "draws": 20},
}


@pytest.mark.parametrize(
    "figure", [figure3, pytest.param(figure5, marks=pytest.mark.strong)], ids=["figure3", "figure5"]
)
def test_small_runs_agree_with_exact_theory(figure, monkeypatch):
    monkeypatch.setattr(chains, "available", lambda: False)
    about = figure.EXPERIMENT
    found = about.run(Job(about.name, "laptop", SMALL[about.name.split(".")[1]], keep=False))
    assert found.agreements
    assert all(a.agrees for a in found.agreements)
    assert not any(s.twin_holds for s in found.shapes)
    wrong = [replace(a, exact=replace(a.exact, value=3 * a.exact.value)) for a in found.agreements]
    assert not all(a.agrees for a in wrong)


def test_nuts_finds_a_normal_posterior():
    if not available():
        pytest.skip("blackjax is not installed")
    draws, used = nuts(np.diag([1.0, 4.0]), np.zeros((64, 2)), 50, 100, 1)
    assert np.allclose(draws.var((0, 1)), [1, 0.25], rtol=0.1)
    assert (used[:, 1:] >= 1).all()


@pytest.mark.long
@pytest.mark.parametrize("number", [3, 4, 5])
def test_laptop_runs_agree_with_exact_theory(number):
    found = perform(f"mandt2017.figure{number}", keep=False).findings
    assert all(a.agrees for a in found.agreements)
    assert not any(s.twin_holds for s in found.shapes)


def test_the_problem_reads_as_a_problem_file():
    problem = made(N=5).problem(1, {"eps": "1/10"})
    assert Problem.of(problem.to_json()).D == 2
