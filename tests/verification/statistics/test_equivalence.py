"""Confirmed within a margin: how often wrongly, at the margin itself, and how often as planned."""

import numpy as np
import pytest
from scipy.stats import binom

from verification.statistics import chains_for, compare
from verification.statistics.equivalence import (
    Confirmation,
    equivalent,
    equivalent_robustly,
    interval,
)
from verification.statistics.terms import Terms

MEAN, EXACT = np.array([1.0, -1.0]), np.array([[2.0, 0.6], [0.6, 1.0]])


def samples(runs, n, scale=1.0, shift=0.0, seed=0):
    source, factor = np.random.default_rng(seed), np.linalg.cholesky(EXACT * scale)
    for _ in range(runs):
        x = source.standard_normal((n, 2)) @ factor.T + MEAN + shift * np.sqrt(np.diag(EXACT))
        yield x.mean(0), np.cov(x.T, bias=True)


@pytest.mark.parametrize("error", [-0.3, 0.3])
@pytest.mark.strong
def test_an_error_of_the_margin_is_confirmed_no_more_often_than_stated(error):
    """All entries are off by 30 %, and the margin is 30 %: one entry outside is enough."""
    runs, level = 2_000, 0.05
    told = [equivalent(m, c, MEAN, EXACT, 150, 0.3, level) for m, c in samples(runs, 150, 1 + error)]
    assert sum(t.confirmed for t in told) <= binom.ppf(1 - 1e-6, runs, level)
    # each variance alone errs as often as stated, and not less
    for name in ("var 0", "var 1"):
        hits = sum(e.smallest_margin < 0.3 for t in told for e in t.entries if e.name == name)
        assert binom.ppf(1e-6, runs, level * 0.9) <= hits <= binom.ppf(1 - 1e-6, runs, level)


@pytest.mark.strong
def test_a_mean_that_is_off_by_the_margin():
    runs, level = 2_000, 0.05
    told = [equivalent(m, c, MEAN, EXACT, 60, 0.5, level) for m, c in samples(runs, 60, shift=0.5)]
    hits = sum(e.smallest_margin < 0.5 for t in told for e in t.entries if e.name == "mean 0")
    # the interval is in exact standard deviations, the sample's own is in its width
    assert binom.ppf(1e-6, runs, level) <= hits <= binom.ppf(1 - 1e-6, runs, level)


def test_the_planned_chains_confirm():
    n = chains_for(0.2, 0.01, 0.9, Confirmation())
    runs, power = 1_000, Confirmation().power(0.2, n, 0.01)
    told = [equivalent(m, c, MEAN, EXACT, n, 0.2, 0.01) for m, c in samples(runs, n)]
    for name in ("var 0", "var 1"):
        hits = sum(e.smallest_margin < 0.2 for t in told for e in t.entries if e.name == name)
        assert binom.ppf(1e-6, runs, power) <= hits <= binom.ppf(1 - 1e-6, runs, power)


def test_not_rejected_is_not_confirmed():
    """The wrong twin: with few chains nothing is rejected, and saying "confirmed" would be wrong."""
    (mean, covariance) = next(samples(1, 100, 1.05))
    assert compare(mean, covariance, MEAN, EXACT, 100, 1e-3).agrees
    found = equivalent(mean, covariance, MEAN, EXACT, 100, 0.01, 1e-3)
    assert not found.confirmed
    assert found.smallest_margin > 0.2


def test_the_smallest_margin_is_where_it_turns():
    (mean, covariance) = next(samples(1, 5_000))
    margin = equivalent(mean, covariance, MEAN, EXACT, 5_000, 1.0, 1e-3).smallest_margin
    assert equivalent(mean, covariance, MEAN, EXACT, 5_000, margin * 1.001, 1e-3).confirmed
    assert not equivalent(mean, covariance, MEAN, EXACT, 5_000, margin * 0.999, 1e-3).confirmed


def test_states_that_move_together_have_a_difference_of_no_variance():
    low, high = interval(0.0, 50, 0.01)
    assert (low, high) == (0.0, 0.0)
    x = np.random.default_rng(1).standard_normal((4_000, 1)) @ np.array([[1.0, 2.0]])
    exact = np.array([[1.0, 2.0], [2.0, 4.0]])
    found = equivalent(x.mean(0), np.cov(x.T, bias=True), np.zeros(2), exact, 4_000, 0.2, 1e-3)
    assert found.confirmed


def test_without_a_gaussian_the_margin_is_kept_too():
    """A uniform law, whose squares vary little: confirmed closer than a Gaussian would be."""
    x = np.random.default_rng(6).uniform(-1, 1, (400, 64, 1)) * np.sqrt(3)
    own = (x**2).mean(axis=1) - x.mean(axis=1) ** 2
    terms = Terms.of_batches(x.mean(axis=1), own[:, :, None], np.zeros(1), np.eye(1), ["x"])
    found = equivalent_robustly(terms, np.eye(1), 0.05, 0.01)
    flat = x.reshape(-1, 1)
    as_if = equivalent(flat.mean(0), flat.var(0)[:, None], [0.0], np.eye(1), len(flat), 0.05, 0.01)
    variance, gaussian = found.entries[1], as_if.entries[1]
    assert found.reliable
    # of a uniform law the square has variance 4/5, of a normal one 2
    ratio = (variance.high - variance.low) / (gaussian.high - gaussian.low)
    assert ratio == pytest.approx(np.sqrt(0.4), rel=5 / np.sqrt(2 * 400))
    wrong = Terms.of_batches(x.mean(axis=1), own[:, :, None], np.zeros(1), 1.1 * np.eye(1), ["x"])
    assert not equivalent_robustly(wrong, 1.1 * np.eye(1), 0.05, 0.01).confirmed


def test_an_approximation_that_is_not_known_to_be_good_says_so():
    few = np.random.default_rng(7).exponential(size=(8, 64, 1)) - 1
    terms = Terms.of_batches(few.mean(axis=1), few.var(axis=1)[:, :, None], [0.0], np.eye(1), ["x"])
    assert equivalent_robustly(terms, np.eye(1), 0.5, 1e-4).reliable is False
