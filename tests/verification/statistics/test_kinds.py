"""Size and power of every kind of test, against SciPy's laws and against statistics that are drawn."""

import math

import numpy as np
import pytest
from scipy.stats import binom, chi2, ncx2, norm

from verification.statistics.kinds import Mean, Scale, WholeCovariance, WholeMean
from verification.statistics.likelihood import LikelihoodRatio

KINDS = [Mean(), Scale(), Scale(4), WholeMean(3), WholeCovariance(3)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_power_at_no_effect_is_the_level(kind):
    for level in (0.05, 1e-6):
        assert kind.power(0.0, 60, level) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_power_grows_with_chains_and_with_the_effect(kind):
    by_chains = [kind.power(0.2, n, 1e-3) for n in (10, 100, 1_000, 10_000)]
    by_effect = [kind.power(e, 500, 1e-3) for e in (0.05, 0.1, 0.3, 0.6)]
    assert by_chains == sorted(by_chains)
    assert by_effect == sorted(by_effect)
    assert by_chains[-1] > 0.99


def test_a_mean():
    p = Mean().power(0.3, 100, 0.01)
    bound = norm.isf(0.005)
    assert p == pytest.approx(norm.sf(bound - 3) + norm.cdf(-bound - 3), rel=1e-12)


@pytest.mark.parametrize("effect", [-0.3, 0.2])
def test_a_scale(effect):
    low, high = chi2.ppf(0.005, 200), chi2.isf(0.005, 200)
    exact = chi2.cdf(low / (1 + effect), 200) + chi2.sf(high / (1 + effect), 200)
    assert Scale(2).power(effect, 100, 0.01) == pytest.approx(exact, rel=1e-9)
    assert Scale(2).p_value(low, 100) == pytest.approx(0.01, rel=1e-9)


def test_a_whole_mean():
    exact = ncx2.sf(chi2.isf(0.01, 3), 3, 100 * 0.4**2)
    assert WholeMean(3).power(0.4, 100, 0.01) == pytest.approx(exact, rel=1e-9)


def test_a_whole_covariance_by_drawing_ensembles():
    r, n, level, runs = 2, 30, 0.05, 4_000
    source = np.random.default_rng(5)
    x = source.standard_normal((runs, n, r)) * np.sqrt([1.6, 0.8])
    ratio = LikelihoodRatio(r, n)
    S = np.einsum("bni,bnj->bij", x, x) / n
    bound = ratio.threshold(level)
    hits = sum(ratio.statistic(s) > bound for s in S)
    p = WholeCovariance(r).power_at((1.6, 0.8), n, level)
    assert 0.2 < p < 0.9
    assert binom.ppf(1e-7, runs, p) <= hits <= binom.ppf(1 - 1e-7, runs, p)
    # the power of another alternative is another
    other = WholeCovariance(r).power_at((1.6, 1.0), n, level)
    assert not binom.ppf(1e-7, runs, other) <= hits <= binom.ppf(1 - 1e-7, runs, other)


def test_too_few_chains_have_no_whole_covariance():
    assert WholeCovariance(4).power(0.5, 3, 0.05) == 0.0
    assert math.isclose(Scale().power(-1.0, 3, 0.05), 1.0)
