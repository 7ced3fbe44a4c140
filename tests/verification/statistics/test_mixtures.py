"""E-values: of mean one, by quadrature; the mixture they say they are; and martingales."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, gamma, norm

from verification.statistics.mixtures import MeanMixture, ScaleMixture


@pytest.mark.parametrize("n", [1, 10, 300])
@pytest.mark.parametrize("effect", [0.03, 0.3])
def test_the_mean_is_one(n, effect):
    mean, scale = MeanMixture(effect), ScaleMixture(effect)
    spread = math.sqrt(n * (1 + n * effect**2))  # what the integrand is as wide as
    total, _ = quad(
        lambda s: math.exp(mean.log_e(s, n) + norm.logpdf(s, scale=math.sqrt(n))),
        -12 * spread, 12 * spread, points=[0], limit=200,
    )  # fmt: skip
    assert total == pytest.approx(1, abs=1e-6)
    # squares have heavy tails under the alternatives: over their logarithm
    total, _ = quad(
        lambda u: math.exp(scale.log_e(math.exp(u), n) + chi2.logpdf(math.exp(u), n) + u),
        math.log(n) - 40, math.log(n) + 6, points=[math.log(n)], limit=500,
    )  # fmt: skip
    assert total == pytest.approx(1, abs=1e-6)


def test_a_wrong_constant_is_noticed_by_the_same_integral():
    scale = ScaleMixture(0.3)
    total, _ = quad(
        lambda u: math.exp(
            scale.log_e(math.exp(u), 10) + math.log(scale.shape) / 2 + chi2.logpdf(math.exp(u), 10) + u
        ),
        -40, 8, points=[math.log(10)], limit=500,
    )  # fmt: skip
    assert abs(total - 1) > 0.1


def test_they_are_the_mixtures_that_they_say():
    n, total, squares, effect = 40, 11.0, 55.0, 0.2
    by_prior, _ = quad(
        lambda d: math.exp(d * total - n * d * d / 2) * norm.pdf(d, scale=effect), -2, 2, points=[0]
    )
    assert MeanMixture(effect).log_e(total, n) == pytest.approx(math.log(by_prior), abs=1e-8)
    a = effect**-2
    by_prior, _ = quad(
        lambda t: t ** (n / 2) * math.exp(-(t - 1) * squares / 2) * gamma.pdf(t, a, scale=1 / a), 0, 4
    )
    assert ScaleMixture(effect).log_e(squares, n) == pytest.approx(math.log(by_prior), abs=1e-8)


def test_the_next_value_is_the_present_one_in_the_mean():
    mean, scale, n, more = MeanMixture(0.2), ScaleMixture(0.2), 30, 5
    now = 7.0
    step, _ = quad(
        lambda s: math.exp(mean.log_e(now + s, n + more) + norm.logpdf(s, scale=math.sqrt(more))),
        -40,
        40,
    )
    assert math.log(step) == pytest.approx(mean.log_e(now, n), abs=1e-8)
    now = 40.0
    step, _ = quad(
        lambda q: math.exp(scale.log_e(now + q, n + more) + chi2.logpdf(q, more)), 0, 400, limit=200
    )
    assert math.log(step) == pytest.approx(scale.log_e(now, n), abs=1e-7)


@pytest.mark.parametrize("mixture", [MeanMixture(0.1), ScaleMixture(0.1)], ids=str)
def test_power_is_the_chance_of_a_large_value(mixture):
    source, n, level, runs = np.random.default_rng(2), 400, 0.01, 4_000
    if isinstance(mixture, MeanMixture):
        statistics = source.normal(0.2 * math.sqrt(n), 1, runs)
    else:
        statistics = 1.2 * source.chisquare(n, runs)
    hits = sum(mixture.p_value(float(s), n) <= level for s in statistics)
    p = mixture.power(0.2, n, level)
    assert abs(hits - runs * p) < 5.5 * math.sqrt(runs * p * (1 - p))  # once in 10^7
    assert 0.05 < p < 0.95


def test_bounds_are_where_the_evidence_is_enough():
    mixture = ScaleMixture(0.05)
    for free in (1, 100, 10**7):
        low, high = mixture.bounds(free, 1e-3)
        assert mixture.log_e(high, free) == pytest.approx(math.log(1e3), abs=1e-5)
        assert low == 0 or mixture.log_e(low, free) == pytest.approx(math.log(1e3), abs=1e-5)
        assert low < free < high
