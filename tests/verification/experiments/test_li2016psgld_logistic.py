"""Logistic regression of pSGLD's paper: the pieces by second routes."""

import numpy as np
import pytest

from verification.experiments import datasets, perform
from verification.experiments.job import Job
from verification.experiments.li2016psgld import figure2, gaussian, logistic, table1

SIZES = {"points": 2, "runs": 10, "steps": 60, "draws": 4_000}


def test_the_largest_stable_step_is_where_the_coefficient_is_minus_one():
    """1 - eps N a/2 = -1."""
    assert logistic.largest_stable_step(0.3, 1000) == pytest.approx(4 / 300, rel=1e-5)


def test_the_mode_makes_the_gradient_vanish_and_the_curvature_is_its_slope():
    """By finite differences of the mean loss."""
    data = datasets.australian()
    at, A = logistic.mode(data.X, data.y, 100.0)

    def slope(x):
        share = -data.y * logistic.probability(-data.y * (data.X @ x))
        return (data.X.T @ share + x / 100) / len(data.X)

    assert abs(slope(at)).max() < 1e-10
    step = 1e-5 * np.eye(14)
    found = np.array([(slope(at + h) - slope(at - h)) / 2e-5 for h in step])
    assert found == pytest.approx(A, abs=1e-8)


def test_running_errors_are_those_of_averages():
    """Two samples that disagree: the second alone would be wrong elsewhere."""
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array([1.0, -1.0, -1.0])
    samples = np.array([[[3.0], [-1.0]]])
    by_hand = [np.mean((X[:, 0] * 3 > 0) != (y > 0)), np.mean((X[:, 0] > 0) != (y > 0))]
    assert logistic.running_errors(samples, X, y)[0] == pytest.approx(by_hand)


def test_a_tiny_figure_2():
    """Importance sampling is near the mode; runs give numbers."""
    job, data = Job("li2016psgld.figure2", "laptop", SIZES, keep=False), datasets.australian()
    truth, spread, effective = figure2.posterior_mean(job, data)
    assert effective > 400
    assert truth == pytest.approx(logistic.mode(data.X, data.y, 100.0)[0], abs=0.2)
    samples, distance = figure2.one(job, data, gaussian.SGLD, 1e-5, truth, spread)
    assert samples.value > 1  # far from one effective draw
    assert np.all(spread > 0)
    assert distance.value == pytest.approx(np.linalg.norm(truth), rel=0.5)  # it began at 0
    assert figure2.exact_time(data, 1e-5) > 10 * figure2.exact_time(data, 2e-4)


def test_when_an_error_has_settled():
    """The last one that is away counts."""
    assert table1.settled(np.array([0.3, 0.2, 0.151, 0.15])) == 650
    assert table1.settled(np.array([0.15, 0.15])) == 550


@pytest.mark.long
@pytest.mark.parametrize("name", ["li2016psgld.table1", "li2016psgld.figure2"])
def test_the_laptop_run_decides_by_its_numbers(name):
    """Every statement rejects its spoilt twin."""
    found = perform(name, keep=False).findings
    assert not any(s.twin_holds for s in found.shapes)
