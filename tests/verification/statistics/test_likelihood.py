"""The law of the likelihood ratio: against Wishart matrices that are drawn, and its moments."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from verification.statistics.inversion import tails
from verification.statistics.likelihood import LikelihoodRatio

DRAWN = 40_000


def drawn(r, dof, scales, seed=0):
    """Values of L, from Bartlett's triangular factor of a Wishart matrix."""
    source = np.random.default_rng(seed)
    T = np.tril(source.standard_normal((DRAWN, r, r)), -1)
    for i in range(r):
        T[:, i, i] = np.sqrt(source.chisquare(dof - i, DRAWN))
    c = np.array(scales)
    trace = np.einsum("nij,i->n", T**2, c) / dof
    logarithm = 2 * np.log(np.diagonal(T, axis1=1, axis2=2)).sum(1) + np.log(c).sum()
    return dof * (trace - logarithm + r * math.log(dof) - r)


@pytest.mark.parametrize(
    ("r", "dof", "scales"),
    [(2, 2, (1, 1)), (2, 9, (1, 1)), (4, 6, (1,) * 4), (4, 30, (0.8, 1, 1, 1.5)), (6, 50, (1.1,) * 6),
     (3, 2_000, (1.03, 1, 0.98)), (1, 7, (1,)), (1, 40, (1.3,))],
)  # fmt: skip
def test_tails_are_those_of_drawn_matrices(r, dof, scales):
    ratio, values = LikelihoodRatio(r, dof), drawn(r, dof, scales)
    for x in np.quantile(values, [0.02, 0.3, 0.7, 0.95, 0.999]):
        p, hits = ratio.tail(float(x), tuple(map(float, scales))), int((values > x).sum())
        # 40 comparisons: a false alarm once in 10^5 runs of this test, were the seed not fixed
        assert binom.ppf(1e-7, DRAWN, p) <= hits <= binom.ppf(1 - 1e-7, DRAWN, p)


def test_drawn_matrices_of_another_law_are_noticed():
    values, ratio = drawn(4, 6, (1,) * 4), LikelihoodRatio(4, 6)
    x = float(np.quantile(values, 0.95))
    hits = int((values > x).sum())
    assert hits > binom.ppf(1 - 1e-7, DRAWN, ratio.uncorrected(x))
    assert hits <= binom.ppf(1 - 1e-7, DRAWN, ratio.p_value(x))
    assert hits < binom.ppf(1e-7, DRAWN, ratio.tail(x, (3.0,) * 4))


@pytest.mark.parametrize(("r", "dof"), [(2, 3), (4, 10), (10, 100)])
def test_the_mean_is_the_slope_of_the_generating_function(r, dof):
    ratio = LikelihoodRatio(r, dof)
    law = ratio.cumulants((1.0,) * r)
    assert law.first(0.0) == pytest.approx(ratio.mean, rel=1e-9)
    h = 1e-5
    numeric = float((law.value(np.array([h])) - law.value(np.array([-h])))[0]) / (2 * h)
    assert numeric == pytest.approx(ratio.mean, rel=1e-5)
    slope = (law.first(h) - law.first(-h)) / (2 * h)
    assert slope == pytest.approx(law.second(0.0), rel=1e-5)


@pytest.mark.parametrize("r", [1, 2, 3, 7])
def test_bartletts_factor_is_that_of_the_textbooks(r):
    """1 - (2 r^2 + 3 r - 1)/(6 (r + 1) n), up to 1/n^2: ten times the chains, a hundredth of the gap."""
    gaps = []
    for n in (1_000, 10_000):
        book = 1 - (2 * r * r + 3 * r - 1) / (6 * (r + 1) * n)
        gaps.append(abs(LikelihoodRatio(r, n).factor - book))
        wrong = 1 - (2 * r * r + 3 * r + 1) / (6 * (r + 1) * n)
        assert abs(LikelihoodRatio(r, n).factor - wrong) > 10 * gaps[-1]
    assert gaps[1] < 0.02 * gaps[0]


@pytest.mark.parametrize(("r", "n"), [(2, 10), (4, 20), (10, 60), (20, 100)])
def test_how_good_the_corrected_chi_square_is(r, n):
    """To a hundredth of a p-value of 5 %, where without it a fifth is missing; far out it is not."""
    ratio = LikelihoodRatio(r, n)
    x = ratio.threshold(0.05)
    corrected, uncorrected = ratio.corrected(x) / 0.05 - 1, ratio.uncorrected(x) / 0.05 - 1
    assert abs(corrected) < 0.01 < 0.2 < abs(uncorrected)
    far = ratio.threshold(1e-12)
    assert abs(ratio.corrected(far) / 1e-12 - 1) > 0.05


def test_one_dimension_by_its_roots_and_by_the_contour():
    ratio = LikelihoodRatio(1, 12)
    for x in (0.01, 0.5, 3.0, 20.0):
        contour = tails(ratio.cumulants((1.4,)), x)[1]
        assert ratio.tail(x, (1.4,)) == pytest.approx(contour, rel=1e-4)


@pytest.mark.parametrize("r", [2, 5, 40, 200])
@pytest.mark.parametrize("chains", [1, 2, 100, 10**5])  # times r
def test_thresholds_invert_p_values_at_any_size(r, chains):
    ratio = LikelihoodRatio(r, r * chains)
    for level in (0.05, 1e-9, 1e-15):
        assert ratio.p_value(ratio.threshold(level)) == pytest.approx(level, rel=1e-5)


def test_the_statistic_is_zero_at_the_identity_and_infinite_where_singular():
    ratio = LikelihoodRatio(3, 50)
    assert ratio.statistic(np.eye(3)) == 0.0
    assert ratio.p_value(0.0) == 1.0
    assert ratio.statistic(np.diag([1.0, 1.0, 0.0])) == math.inf
    assert ratio.p_value(math.inf) == 0.0
    S = np.array([[1.2, 0.1, 0], [0.1, 0.9, 0.2], [0, 0.2, 1.0]])
    plain = 50 * (np.trace(S) - math.log(np.linalg.det(S)) - 3)
    assert ratio.statistic(S) == pytest.approx(plain, rel=1e-12)
