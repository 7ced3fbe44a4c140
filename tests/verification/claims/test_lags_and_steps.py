"""Statements about lags and single steps: true, false, conditional."""

import pytest
import sympy as sp

from verification.claims.lag_sums import DOUBLE, LATER, MEAN_SQUARE, NOW, WHOLE, Lags, LagSums
from verification.claims.lag_sums import T as N_STEPS
from verification.claims.rough import RoughStep
from verification.refuter.script import run

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}


def lags(left, right, relation="="):
    return LagSums(printed=(Lags(left, right, relation),), **COMMON)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (lags(MEAN_SQUARE, DOUBLE), "proved"),
        (lags(WHOLE, NOW + 2 * LATER), "proved"),
        (lags(DOUBLE / N_STEPS**2, WHOLE / N_STEPS, "~"), "proved"),
        (lags(DOUBLE / N_STEPS**2, WHOLE / N_STEPS), "limit-only"),
        (lags(DOUBLE / N_STEPS**2, 2 * WHOLE / N_STEPS, "~"), "refuted"),
    ],
)
def test_weights_of_lags(claim, verdict):
    finding = claim.find()
    assert finding.verdict == verdict
    assert claim.twins(finding).survivors == ()


@pytest.mark.parametrize(
    ("derivatives", "order", "verdict"),
    [(4, 2, "proved"), (3, 2, "refuted"), (3, sp.Rational(3, 2), "proved"), (4, 3, "refuted")],
)
def test_derivatives_that_one_step_needs(derivatives, order, verdict):
    claim = RoughStep(derivatives=derivatives, order=order, **COMMON)
    finding = claim.find()
    assert finding.verdict == verdict
    assert claim.twins(finding).survivors == ()
    if verdict == "refuted":
        assert run(finding.counterexample.script) is False
