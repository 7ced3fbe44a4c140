"""Formulas of samplers whose updates see the clock: the law in numbers is the other route."""

import pytest
import sympy as sp

from sgtheory import derive
from sgtheory.declare import Card, Sampler, full_gradient, gradient, normal, positive, state, t
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem

theta, anchor = state("theta anchor")
h, xi = positive("h"), normal("xi")
WARM = sp.Piecewise((h, sp.Eq(sp.Mod(t, 3), 0)), (h / 2, True))
CYCLIC = Sampler((theta,), ((theta, theta - WARM * gradient(theta)),), Card(loss="mean", drift="h"))
HELD = sp.Piecewise((theta, sp.Eq(sp.Mod(t, 3), 0)), (anchor, True))
CORRECTED = Sampler(
    (theta, anchor),
    (
        (anchor, HELD),
        (theta, theta - h * (gradient(theta) - gradient(anchor) + full_gradient(anchor))),
    ),
    Card(loss="mean", drift="h"),
)
CASE = Problem.of({"hessian": [[2]], "noise": [[1]], "N": 20, "S": 4, "params": {"h": "1/8"}})


def test_a_period_that_is_a_number_is_the_period():
    found = derive(CYCLIC)
    formula = found.covariance.pair
    put = {"h": sp.Rational(1, 8), "N": 20, "S": 4, "C_ij": 1, "lambda_i": 2, "lambda_j": 2, "lambda": 2}
    value = float(formula.subs({s: put[s.name] for s in formula.free_symbols}))
    assert value == pytest.approx(float(law(CYCLIC, CASE).covariance["theta", "theta"][0, 0]), rel=1e-12)


def test_another_period_than_its_own_is_refused():
    with pytest.raises(UnusableInput, match="the period of sampler, 3"):
        derive(CYCLIC, period=2)
    assert derive(CYCLIC, period=3).setting.unrolled == 3


def test_a_law_without_noise_is_derived():
    """Its recheck had no formula to look at, and ended in a traceback."""
    found = derive(CORRECTED)
    assert found.covariance.pair == 0
    assert "Sigma_ij = 0" in found.derivation().to_text()
