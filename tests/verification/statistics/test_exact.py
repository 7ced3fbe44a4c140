"""The exact tests: their false-alarm rate is what they say, and so is their power."""

import numpy as np
import pytest
from scipy.stats import binom

from verification.statistics import chains_for, compare, detectable

COVARIANCE = np.array([[2.0, 0.9, 0.0], [0.9, 1.0, -0.3], [0.0, -0.3, 0.5]])
MEAN = np.array([1.0, 0.0, -2.0])
CHAINS = 200


def samples(repeats, factor=1.0, seed=0):
    """Sample means and covariances (divisor n), from the exact laws of both."""
    source = np.random.default_rng(seed)
    L = np.linalg.cholesky(COVARIANCE * factor)
    for _ in range(repeats):
        x = source.standard_normal((CHAINS, 3)) @ L.T + MEAN
        yield x.mean(0), np.cov(x.T, bias=True)


@pytest.mark.strong
def test_false_alarms_stay_within_the_budget():
    repeats, budget = 2_000, 0.05
    alarms = sum(not compare(m, c, MEAN, COVARIANCE, CHAINS, budget).agrees for m, c in samples(repeats))
    # Bonferroni over 9 tests of 9 (correlated) statistics: at most 5 %, and not much below 3 %
    assert alarms <= binom.ppf(1 - 1e-6, repeats, budget)
    assert alarms >= binom.ppf(1e-6, repeats, 0.02)


def test_power_at_the_detectable_effect():
    repeats, budget = 1_000, 1e-3
    effect = detectable(CHAINS, budget / 9)
    found = sum(
        not compare(m, c, MEAN, COVARIANCE, CHAINS, budget).agrees
        for m, c in samples(repeats, 1 + effect, seed=1)
    )
    # each of three variances alone is found with 99 %, up to the normal approximation of the plan
    assert found >= binom.ppf(1e-6, repeats, 0.98)


def test_a_wrong_mean_is_found():
    mean, covariance = next(samples(1))
    assert not compare(mean + 1, covariance, MEAN, COVARIANCE, CHAINS, 1e-6).agrees


def test_a_wrong_correlation_is_found():
    m, c = next(samples(1))
    wrong = COVARIANCE.copy()
    wrong[0, 1] = wrong[1, 0] = -0.9
    assert not compare(m, c, MEAN, wrong, CHAINS, 1e-6).agrees


def test_planning_inverts_the_resolution():
    n = chains_for(0.01, 1e-7)
    assert detectable(n, 1e-7) == pytest.approx(0.01, rel=1e-4)
