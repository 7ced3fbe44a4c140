"""Looking after every batch: the promise holds at the worst moment, and runs stop early both ways."""

import numpy as np
import pytest
from scipy.stats import binom

from sgtheory.errors import UnusableInput
from verification.statistics import chains_for
from verification.statistics.kinds import Scale
from verification.statistics.sequential import SequentialConfirmation, Watch

MEAN, EXACT = np.array([0.0, 2.0]), np.array([[1.0, 0.5], [0.5, 3.0]])


def batches(source, size, scale=1.0):
    factor = np.linalg.cholesky(EXACT * scale)
    while True:
        x = source.standard_normal((size, 2)) @ factor.T + MEAN
        yield size, x.mean(0), np.cov(x.T, bias=True)


def watch(**how):
    options = {"effect": 0.2, "false_alarm": 0.05, "margin": 0.5} | how
    return Watch.of(MEAN, EXACT, **options)


def test_ever_rejecting_a_true_law_is_rare_however_often_one_looks():
    runs, looks, source = 200, 40, np.random.default_rng(0)
    ever = naive = outside = 0
    for _ in range(runs):
        now, stream = watch(), batches(source, 10)
        rejected = tempted = missed = False
        for _ in range(looks):
            now = now.add(*next(stream))
            rejected |= now.evidence >= -np.log(0.05)
            tempted |= Scale().p_value(now.second[0, 0] / EXACT[0, 0], now.chains) < 0.05
            missed |= any(not e.low <= 0 <= e.high for e in now.entries if e.name == "var 0")
        ever, naive, outside = ever + rejected, naive + tempted, outside + missed
    assert ever <= binom.ppf(1 - 1e-6, runs, 0.05)
    assert outside <= binom.ppf(1 - 1e-6, runs, 0.05)
    # the wrong twin: a test made for one look, looked at forty times
    assert naive > binom.ppf(1 - 1e-6, runs, 0.05)


def test_a_wrong_law_is_rejected_and_a_true_one_confirmed_early():
    level = 1e-4
    planned = {
        "rejected": chains_for(0.2, level / 5, 0.99),
        "confirmed": chains_for(0.3, level, 0.99, SequentialConfirmation(0.2)),
    }
    for scale, verdict in ((1.3, "rejected"), (1.0, "confirmed")):
        used = []
        for seed in range(10):
            now, stream = (
                watch(false_alarm=level, margin=0.3),
                batches(np.random.default_rng(seed), 100, scale),
            )
            while now.decision == "undecided" and now.looks < 500:
                now = now.add(*next(stream))
            assert now.decision == verdict
            assert now.chains == 100 * now.looks
            used.append(now.chains)
        assert np.mean(used) < planned[verdict]


def test_the_middle_of_a_confidence_sequence_is_the_sample():
    stream = batches(np.random.default_rng(3), 1_000)
    size, mean, covariance = next(stream)
    now = watch().add(size, mean, covariance)
    for entry in now.entries:
        assert entry.low < 0 < entry.high
    middle = now.entries[1]
    assert (middle.low + middle.high) / 2 == pytest.approx((mean[1] - 2) / np.sqrt(3), rel=1e-9)


def test_batches_add_up_to_what_all_chains_say_together():
    stream = batches(np.random.default_rng(4), 50)
    parts = [next(stream) for _ in range(4)]
    now = watch()
    for part in parts:
        now = now.add(*part)
    about = sum(c + np.outer(m - MEAN, m - MEAN) for _, m, c in parts) / 4
    assert now.second / now.chains == pytest.approx(about, rel=1e-12)
    assert watch().decision == "undecided"
    assert watch().entries == ()


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(UnusableInput):
        watch(false_alarm=0.0)
    with pytest.raises(UnusableInput):
        watch(effect=0.0)
