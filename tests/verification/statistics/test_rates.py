"""Exact intervals for a share of runs, and p-values that are not what they say."""

import numpy as np
import pytest
from scipy.stats import binom

from verification.statistics.rates import Rate, false_alarms, uniform


@pytest.mark.parametrize(("hits", "runs"), [(0, 20), (3, 20), (20, 20), (480, 10_000)])
def test_the_ends_are_where_the_hits_become_too_unlikely(hits, runs):
    low, high = Rate("r", hits, runs, 0.99, 0.5).interval
    if hits:
        assert binom.sf(hits - 1, runs, low) == pytest.approx(0.005, rel=1e-6)
    if hits < runs:
        assert binom.cdf(hits, runs, high) == pytest.approx(0.005, rel=1e-6)


def test_promises_and_bounds():
    assert Rate("r", 5, 100, 0.99, 0.05).kept
    assert not Rate("r", 20, 100, 0.99, 0.05).kept
    assert not Rate("r", 0, 1_000, 0.99, 0.05).kept
    assert Rate("r", 0, 1_000, 0.99, 0.05, exactly=False).kept
    assert not Rate("r", 200, 1_000, 0.99, 0.05, exactly=False).kept
    assert Rate("r", 5, 100, 0.99, 0.05).to_json()["rate"] == 0.05


def test_intervals_hold_together():
    p = {str(k): np.random.default_rng(k).uniform(size=2_000) for k in range(20)}
    rates = false_alarms(p, 0.05, 0.99)
    assert all(r.kept for r in rates)
    assert {round(r.confidence, 10) for r in rates} == {1 - 0.01 / 20}
    wrong = {k: v**1.5 for k, v in p.items()}  # rejects 14 % at 5 %
    assert not any(r.kept for r in false_alarms(wrong, 0.05, 0.99))


def test_uniform():
    fair = np.random.default_rng(0).uniform(size=2_000)
    assert uniform(fair) > 1e-6 > uniform(fair**1.5)
