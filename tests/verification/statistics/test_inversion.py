"""The contour: against laws whose tails are elementary, and where it must not be trusted."""

import math

import numpy as np
import pytest

from verification.statistics.inversion import Cumulants, tails

EXPONENTIAL = Cumulants(lambda s: -np.log(1 - s), lambda s: 1 / (1 - s), lambda s: (1 - s) ** -2, 1.0)


@pytest.mark.parametrize("x", [1e-3, 0.1, 0.999, 1.0, 1.001, 3.0, 100.0])
def test_both_tails_of_an_exponential(x):
    below, above = tails(EXPONENTIAL, x)
    if x > 1:
        assert above == pytest.approx(math.exp(-x), rel=1e-7)
    else:
        assert below == pytest.approx(-math.expm1(-x), rel=1e-7)
    assert below + above == 1.0


def test_beyond_all_use_a_tail_is_bounded_from_above():
    for x in (300.0, 600.0):
        assert math.exp(-x) <= tails(EXPONENTIAL, x)[1] < 1e-80
    assert tails(EXPONENTIAL, 1e9) == (1.0, 0.0)
    assert tails(EXPONENTIAL, 0.0) == (0.0, 1.0)


def test_another_law_has_other_tails():
    twice = Cumulants(
        lambda s: -2 * np.log(1 - s), lambda s: 2 / (1 - s), lambda s: 2 * (1 - s) ** -2, 1.0
    )
    assert tails(twice, 3.0)[1] == pytest.approx(4 * math.exp(-3.0), rel=1e-10)
    assert tails(twice, 3.0)[1] != pytest.approx(math.exp(-3.0), rel=0.1)
