"""Normal laws under one step of a declared sampler, and of maps that the code does not know."""

import pytest
import sympy as sp

from sgtheory.declare import N, S, positive
from sgtheory.dynamics.steps import Step
from sgtheory.pairs import LI, LJ
from verification.claims.chain_invariance import InvariantCovariance
from verification.claims.moment_invariance import InvariantMoments
from verification.pairform import DELTA, NOISE
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
eps, gamma = positive("eps gamma")
x, v, xi = sp.symbols("x v xi", real=True)
h, a, s = sp.symbols("h a s", positive=True)
THETA = ("theta", "theta")


def law(of, *blocks):
    return InvariantCovariance(of=of, blocks=blocks, **COMMON)


def moments(step, covariance, **more):
    return InvariantMoments(step=step, covariance=covariance, **more, **COMMON)


SGD = law("sgd", (THETA, eps * NOISE / S / (LI + LJ - eps * LI * LJ)))
LMC = law("lmc", (THETA, DELTA / (N * LI) / (1 - gamma * N * LI / 2)))
autoregression = Step((x,), ((x, a * x + s * xi),), (xi,))
oscillator = Step((x, v), ((v, v - h * x), (x, x + h * v)))
TRUE = {
    "SGD": SGD,
    "LMC": LMC,
    "autoregression": moments(Step((x,), ((x, a * x + sp.sqrt(1 - a**2) * xi),), (xi,)), ((1,),)),
    "shadow energy": moments(oscillator, ((1, h / 2), (h / 2, 1))),
    "fourth moments": moments(autoregression, ((s**2 / (1 - a**2),),), degree=4),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_ones_are_proved_and_their_wrong_twins_rejected(name):
    claim = TRUE[name]
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried >= 6
    assert twins.rejected == twins.tried, twins.survivors


def test_commuting_matrices_are_asked_for():
    finding = law("sgd", (THETA, eps * NOISE / S / (2 * LI - eps * LI**2))).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == "A and B B^T commute"
    assert run(finding.counterexample.script) is False


def test_the_posterior_under_lmc_is_right_to_first_order():
    finding = law("lmc", (THETA, DELTA / (N * LI))).find()
    assert finding.verdict == "limit-only"
    assert finding.gap.order == "1"
    assert finding.gap.parameter == "gamma"
    assert finding.corrected.verdict == "proved"
    assert run(finding.counterexample.script) is False


def test_a_factor_is_refuted():
    finding = law("lmc", (THETA, 2 * DELTA / (N * LI))).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_a_relation_with_a_square_in_it():
    finding = moments(autoregression, ((1,),)).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == "a**2 + s**2 = 1"
    assert run(finding.counterexample.script) is False


def test_an_euler_step_keeps_the_law_to_leading_order():
    euler = Step((x,), ((x, (1 - h) * x + sp.sqrt(2 * h) * xi),), (xi,))
    finding = moments(euler, ((1,),), small=h).find()
    assert finding.verdict == "limit-only"
    assert finding.gap.order == "1"
    assert "-2/(h - 2)" in finding.corrected.text


def test_a_cubic_step_is_refuted_by_a_moment():
    cubic = Step((x,), ((x, x - h * x**3 + sp.sqrt(2 * h) * xi),), (xi,))
    finding = moments(cubic, ((1,),), degree=4).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_moments_that_agree_prove_nothing_of_a_map_that_is_not_affine():
    # x^2 - 1 over its deviation keeps mean and variance, and is not normal
    square = Step((x,), ((x, (x**2 - 1) / sp.sqrt(2)),))
    assert moments(square, ((1,),)).find().verdict == "inconclusive"
    assert moments(square, ((1,),), degree=3).find().verdict == "refuted"


def test_a_sabotaged_proof_is_caught(monkeypatch):
    monkeypatch.setattr(InvariantCovariance, "_entries", lambda self: [])
    with pytest.raises(RoutesDisagree):
        law("lmc", (THETA, DELTA / (N * LI))).find()
