"""Errors that vanish, or do not, as time goes on."""

import pytest
import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.claims.vanishing import ToZero, Vanishing
from verification.laws.averages import MSE, Averages, k, t
from verification.refuter.script import run
from verification.verdicts.verdict import RoutesDisagree

x, xi = sp.symbols("x xi", real=True)
h = sp.Symbol("h", positive=True)
EULER = Step((x,), ((x, x - h * x + sp.sqrt(h) * xi),), (xi,))


def about(left, steps, phi=x, equal=False):
    family = Averages("so", EULER, h, phi, steps, 2 ** (k + 3), (1,), equal=equal)
    return Vanishing(
        "k", at="a", title="t", says="s", paper="p", printed=(ToZero(left),), families=(family,)
    )


def test_an_average_along_decreasing_steps_and_its_twins():
    claim = about(MSE, t ** sp.Rational(-1, 3) / 2, phi=x**2)
    finding = claim.find()
    assert finding.verdict == "proved"
    assert claim.twins(finding).survivors == ()


def test_plain_averages_along_one_over_t_stay_as_wide():
    finding = about(MSE, 1 / t, equal=True).find()
    assert finding.verdict == "refuted"
    # a posterior of variance 1/2, and 1/(lambda (k + 1)) with k = 1 is half of it
    assert float(finding.counterexample.right) == pytest.approx(1 / 4, abs=1e-3)
    assert run(finding.counterexample.script) is False


def test_what_falls_without_a_proof_is_left_open():
    assert about(MSE, 1 / t).find().verdict == "inconclusive"


def test_a_proof_against_sizes_is_an_error(monkeypatch):
    monkeypatch.setattr(Vanishing, "slopes", lambda self, left, family: (0.0,) * 7)
    with pytest.raises(RoutesDisagree):
        about(MSE, t ** sp.Rational(-1, 3) / 2, phi=x**2).find()
