"""Conditions that nobody wrote down are found: fresh claims, false in general, true under something."""

import pytest
import sympy as sp

from verification.claims.base import Printed
from verification.claims.freedom import DIAGONAL_OVER, GAIN_OVER
from verification.claims.minimiser import Minimiser
from verification.claims.stationary import StationaryLaw
from verification.miner import mine as mining
from verification.miner.conditions import (
    AreProportional,
    Both,
    Commute,
    IsDiagonal,
    IsIsotropic,
    OneDimensional,
    conditions,
    implies,
    restrict,
)
from verification.notation import A, C, D, Diagonal, H, N, S, Sigma, eps, identity, second, trace
from verification.refuter.places import Space
from verification.refuter.script import run
from verification.statements import Equal, claim

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
x, m, g, L = sp.symbols("x m gamma L", positive=True)


def one(kind, left, right, relation="=", **more):
    return kind("fresh", **COMMON, printed=(Printed(left, right, relation),), **more)


def same(left, right):
    return claim("fresh", at="here", title="T", says="S.", printed=Equal(left, right))


FRESH = [
    (same((A + C) ** 2, A**2 + 2 * A * C + C**2), "A and B B^T commute"),
    (
        same(trace(A) ** 2, D * trace(A**2)),
        "A is a multiple of the identity",
    ),
    (same(A * trace(C), C * trace(A)), "A is a multiple of B B^T"),
    (one(StationaryLaw, 2 * Sigma * A, eps / S * C, of="sgd"), "A and B B^T commute"),
    pytest.param(
        one(StationaryLaw, second("v", "theta"), second("theta", "v"), of="momentum"),
        "A and B B^T commute",
        marks=pytest.mark.strong,
    ),
    pytest.param(
        one(Minimiser, H, 2 * S / N * Diagonal(C) ** -1, of="sgd", over=DIAGONAL_OVER),
        "B B^T is diagonal or A is a multiple of B B^T",
        marks=pytest.mark.strong,
    ),
]


@pytest.mark.parametrize(("stated", "condition"), FRESH)
def test_a_false_claim_gets_its_hypothesis(stated, condition):
    finding = stated.find()
    assert finding.verdict == "proved-if"
    assert finding.condition == condition
    assert not run(finding.counterexample.script)  # it is false in general


def test_a_claim_that_nothing_mends_gets_no_hypothesis():
    for stated in (
        one(StationaryLaw, A * Sigma + Sigma * A, 2 * eps / S * C, of="sgd"),
        one(Minimiser, H, S / N * C**-1, of="sgd", over=GAIN_OVER),
        same(trace(A * C), 2 * trace(C * A)),
    ):
        finding = stated.find()
        assert finding.verdict == "refuted"
        assert finding.condition is None


def test_an_unproved_condition_is_not_called_proved(monkeypatch):
    stated = one(StationaryLaw, 2 * Sigma * A, eps / S * C, of="sgd")
    monkeypatch.setattr(StationaryLaw, "prove_under", lambda *a: None)
    (found,) = mining.mine(stated, "continuous")
    assert found.proof is None
    assert stated.find().verdict == "refuted"


def test_the_lattice_is_ordered_by_what_implies_what():
    letters = ("A", "C")
    listed = conditions(letters)
    commute, diagonal = Commute(("A", "C")), Both((), IsDiagonal(("A",)), IsDiagonal(("C",)))
    assert implies(diagonal, commute, letters)
    assert not implies(commute, diagonal, letters)
    for strong in (IsIsotropic(("A",)), AreProportional(("A", "C")), OneDimensional(())):
        assert implies(strong, commute, letters)
    for k, weak in enumerate(listed):  # what comes later never is implied by less than it implies
        assert all(not implies(weak, c, letters) or implies(c, weak, letters) for c in listed[k + 1 :])


@pytest.mark.parametrize("condition", conditions(("A", "C", "H")), ids=lambda c: c.words)
def test_what_is_imposed_holds(condition):
    import random

    kinds = {"A": "positive definite", "B": "any", "H": "positive definite"}
    place = Space(kinds).random(random.Random(4), 3)
    assert condition.holds(restrict(place, condition))
    assert all(part.holds(restrict(place, condition)) for part in condition.parts)


def test_the_identity_is_a_letter_too():
    assert same(A * identity, identity * A).find().verdict == "proved"
