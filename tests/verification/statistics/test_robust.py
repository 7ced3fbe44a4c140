"""Robust tests: the expansion against drawn terms, and that they warn of themselves where they must."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from verification.statistics.robust import compare_robustly, terms_needed, two_sided_error
from verification.statistics.terms import Terms

RUNS = 200_000

SHAPES = {
    "exponential": (lambda s, n: s.exponential(size=n) - 1, 2.0, 6.0, 200),
    "gamma": (lambda s, n: s.gamma(4, size=n) - 4, 1.0, 1.5, 100),
    "uniform": (lambda s, n: s.uniform(-1, 1, size=n), 0.0, -1.2, 30),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_error_at_the_threshold_is_what_the_expansion_says(name):
    draw, skewness, kurtosis, n = SHAPES[name]
    source, level, hits = np.random.default_rng(1), 0.01, 0
    bound = student.isf(level / 2, n - 1)
    for _ in range(20):
        x = draw(source, (RUNS // 20, n))
        hits += int((np.abs(x.mean(1)) > bound * x.std(1, ddof=1) / math.sqrt(n)).sum())
    measured, told = hits / RUNS / level - 1, two_sided_error(skewness, kurtosis, n, level)
    chance = 5 * math.sqrt(1 / (RUNS * level))  # standard errors of the measured share
    assert abs(measured - told) < chance + 0.3 * abs(told)  # what is left is of order 1/n^2
    # the wrong twin: the terms taken for Gaussian, whose error is none
    assert abs(told) > 0.05


def test_terms_needed_bring_the_error_below_a_tenth():
    for _, skewness, kurtosis, _ in SHAPES.values():
        for level in (0.05, 1e-3, 1e-7):
            n = terms_needed(skewness, kurtosis, level)
            assert abs(two_sided_error(skewness, kurtosis, n, level)) <= 0.1 * (1 + 1e-9)


def of(values, exact):
    """Batches with one number each, whose variances are not looked at."""
    means = np.asarray(values)[:, None]
    return Terms.of_batches(means, np.ones((len(means), 1, 1)), np.array([exact]), np.eye(1), ["x"])


def test_terms_with_heavy_tails_are_not_trusted():
    source = np.random.default_rng(3)
    calm = compare_robustly(of(source.standard_normal(4_000), 0.0), 0.05).tests[0]
    wild = compare_robustly(of(source.standard_t(3, 4_000) ** 3, 0.0), 0.05).tests[0]
    assert calm.reliable
    assert wild.reliable is False
    assert wild.terms_needed > 4_000 > calm.terms_needed


def test_a_far_threshold_asks_for_more_terms_and_says_how_many():
    terms = of(np.random.default_rng(4).exponential(size=1_000), 1.0)
    near, far = compare_robustly(terms, 0.05), compare_robustly(terms, 1e-9)
    assert near.tests[0].reliable
    assert not far.reliable
    assert far.terms_needed > 1_000
    assert f"{far.terms_needed:,}" in far.words


def test_a_wrong_mean_is_rejected_and_its_error_is_the_samples():
    x = np.random.default_rng(5).exponential(size=2_000)
    test = compare_robustly(of(x, 1.0), 1e-3).tests[0]
    assert test.standard_error == pytest.approx(x.std(ddof=1) / math.sqrt(2_000), rel=1e-9)
    assert test.p_value > 1e-3
    assert "mean x" in compare_robustly(of(x, 1.2), 1e-3).rejected
