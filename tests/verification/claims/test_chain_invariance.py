"""Normal laws under one step of a declared sampler."""

import pytest

from sgtheory.declare import N, S, positive
from sgtheory.modepairs.pairs import LI, LJ
from verification.claims.chain_invariance import InvariantCovariance
from verification.laws.pair_form import DELTA, NOISE
from verification.refuter.script import run
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
eps, gamma = positive("eps gamma")
THETA = ("theta", "theta")


def law(of, *blocks):
    return InvariantCovariance(of=of, blocks=blocks, **COMMON)


SGD = law("sgd", (THETA, eps * NOISE / S / (LI + LJ - eps * LI * LJ)))
LMC = law("lmc", (THETA, DELTA / (N * LI) / (1 - gamma * N * LI / 2)))
TRUE = {
    "SGD": SGD,
    "LMC": LMC,
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


def test_a_sabotaged_proof_is_caught(monkeypatch):
    monkeypatch.setattr(InvariantCovariance, "_entries", lambda self: [])
    with pytest.raises(RoutesDisagree):
        law("lmc", (THETA, DELTA / (N * LI))).find()
