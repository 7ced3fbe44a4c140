"""Tails of chi-squares against integrals of their densities, with thirty digits."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import gammainc
from scipy.stats import ncx2

from verification.statistics.inversion import tails
from verification.statistics.quadratic import Quadratic, chi_square


def integral(k, x, side):
    """Of the density from x on, or up to x, in standard deviations beyond which nothing is left."""
    with mpmath.workdps(30):
        a, s = mpmath.mpf(k) / 2, mpmath.sqrt(2 * k)

        def density(u):
            return mpmath.exp(-u / 2 + (a - 1) * mpmath.log(u / 2) - mpmath.loggamma(a)) / 2

        if side:
            return float(mpmath.quad(density, [x + s * j for j in range(60)]))
        return float(mpmath.quad(density, [max(x - s * j, 0) for j in range(20, -1, -1)]))


@pytest.mark.parametrize("k", [3, 50, 2_500, 10**6, 10**8, 2 * 10**9])
@pytest.mark.parametrize("z", [-6.5, -4.5, -1, 0, 2, 7])
def test_tails_keep_their_digits_at_any_number_of_degrees(k, z):
    x = k + z * math.sqrt(2 * k)
    if x <= 0:
        return
    below, above = chi_square(k).tails(x)
    # rounding of a logarithm of size k log k is what is lost
    bound = 1e-10 + 2e-15 * k
    if z < 0:
        assert below == pytest.approx(integral(k, x, 0), rel=bound)
    else:
        assert above == pytest.approx(integral(k, x, 1), rel=bound)
    assert below + above == pytest.approx(1, abs=1e-12 + bound)


def test_the_lower_tail_that_scipy_loses():
    """The reason for all this; where a SciPy gets it right, this can go."""
    k = 10**8
    x = k - 5 * math.sqrt(2 * k)
    truth = integral(k, x, 0)
    assert chi_square(k).tails(x)[0] == pytest.approx(truth, rel=1e-6)
    assert abs(gammainc(k / 2, x / 2) / truth - 1) > 0.1


@pytest.mark.parametrize("k", [2, 9, 300, 1_999])
def test_the_contour_agrees_with_scipy_where_both_are_right(k):
    law = chi_square(k)
    for z in (-3, -0.01, 0.0, 0.01, 1, 8):
        x = k + z * math.sqrt(2 * k)
        if x > 1e-6 * k:
            assert tails(law.cumulants, x) == pytest.approx(law.tails(x), rel=1e-8)


@pytest.mark.parametrize("d", [0.5, 20.0, 900.0])
def test_noncentral_against_scipy(d):
    for x in (0.3 * (4 + d), 4 + d, 1.5 * (4 + d)):
        below, above = chi_square(4, 1.0, d).tails(x)
        assert below == pytest.approx(ncx2.cdf(x, 4, d), rel=1e-6, abs=1e-12)
        assert above == pytest.approx(ncx2.sf(x, 4, d), rel=1e-6, abs=1e-12)


def test_a_sum_of_two_scales_against_its_convolution():
    law = Quadratic((1.0, 3.0), (2.0, 2.0), (0.0, 0.0))
    for x in (0.5, 4.0, 9.0, 60.0):
        # two exponentials, of means 2 and 6
        exact = (6 * math.exp(-x / 6) - 2 * math.exp(-x / 2)) / 4
        assert law.tails(x)[1] == pytest.approx(exact, rel=1e-9)
    assert (law.mean, law.deviation) == pytest.approx((8.0, math.sqrt(40.0)))


@pytest.mark.parametrize("k", [1, 4, 1_000, 10**7, 10**9])
def test_quantiles_invert_tails(k):
    for level in (0.9, 0.5, 1e-3, 1e-9, 1e-13):
        law = chi_square(k)
        assert law.tails(law.above(level))[1] == pytest.approx(level, rel=1e-5)
        assert law.tails(law.below(level))[0] == pytest.approx(level, rel=1e-5)
    assert np.isfinite(chi_square(k).above(1e-15))
