"""Ranks: of laws under deficient noise, and of noise with isotropic noise added."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from verification.claims.base import Printed
from verification.claims.ranks import Rank, RankClaim, Whenever
from verification.notation import C, D, Sigma, identity
from verification.refuter.conditions import HiddenMode
from verification.refuter.script import run
from verification.statements import Compare, claim, letter

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
DEFICIENT = Printed(Rank(C), D, "<")
delta = letter("delta")
HIDDEN = HiddenMode(("A", "C"))


def law(relation, right, of="sgd", premise=None, **more):
    return RankClaim(of=of, printed=(Whenever(Rank(Sigma), right, relation, premise),), **more, **COMMON)


@pytest.mark.parametrize("time", ["continuous", pytest.param("discrete", marks=pytest.mark.strong)])
def test_noise_of_low_rank_needs_a_mode_that_it_does_not_reach(time):
    finding = law("<", D, premise=DEFICIENT).find(time)
    assert finding.verdict == "proved-if"
    assert finding.condition == "an eigenvector of A is in the kernel of B B^T"
    assert finding.counterexample.left == finding.counterexample.right == "2"
    assert run(finding.counterexample.script) is False


def test_with_the_condition_given_it_is_proved_and_twins_are_rejected():
    claim = law("<", D, premise=DEFICIENT, given=(HIDDEN,))
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried >= 4
    assert twins.rejected == twins.tried, twins.survivors


def test_injected_noise_reaches_every_mode():
    finding = law("<", D, of="sgld", premise=DEFICIENT).find()
    assert finding.verdict == "refuted"


def test_isotropic_noise_fills_the_rank_and_another_matrix_need_not():
    full = claim("full", at="here", title="T", read=Compare(C + delta * identity, ">", 0))
    finding = full.find()
    assert finding.verdict == "proved"
    assert full.twins(finding).survivors == ()
    wrong = claim("wrong", at="here", title="T", read=Compare(C - delta * identity, ">", 0)).find()
    assert wrong.verdict == "refuted"
    assert run(wrong.counterexample.script) is False


def test_controllability_in_floating_point():
    """Rank-one noise that touches all modes of three: full rank, by a Lyapunov solve."""
    A, b = np.diag([1.0, 2.0, 4.0]), np.ones((3, 1))
    assert np.linalg.matrix_rank(solve_continuous_lyapunov(-A, -b @ b.T)) == 3
    b[2] = 0
    assert np.linalg.matrix_rank(solve_continuous_lyapunov(-A, -b @ b.T)) == 2
