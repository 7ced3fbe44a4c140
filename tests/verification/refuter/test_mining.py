"""Conditions that nobody wrote down are found: fresh claims, false in general, true under something."""

import pytest

from verification.notation import A, C, D, Diagonal, H, N, S, Sigma, eps, identity, second, trace
from verification.papers.mandt2017.letters import KL
from verification.refuter.conditions import (
    AreProportional,
    Both,
    Commute,
    IsDiagonal,
    IsIsotropic,
    OneDimensional,
)
from verification.refuter.lattice import conditions, implies
from verification.refuter.places import Space
from verification.refuter.script import run
from verification.statements import Best, Equal, claim, mining
from verification.statements import conditions as conditions_of_statements
from verification.statements.deciding import asked


def best(value, **more):
    printed = Best(H, value, of=KL, **more)
    return claim("fresh", at="here", title="T", says="S.", of="sgd", printed=printed, sets=((eps, 1),))


def same(left, right, of=""):
    return claim("fresh", at="here", title="T", says="S.", of=of, printed=Equal(left, right))


FRESH = [
    (same((A + C) ** 2, A**2 + 2 * A * C + C**2), "A and B B^T commute"),
    (
        same(trace(A) ** 2, D * trace(A**2)),
        "A is a multiple of the identity",
    ),
    (same(A * trace(C), C * trace(A)), "A is a multiple of B B^T"),
    (same(2 * Sigma * A, eps / S * C, "sgd"), "A and B B^T commute"),
    pytest.param(
        same(second("v", "theta"), second("theta", "v"), "momentum"),
        "A and B B^T commute",
        marks=pytest.mark.strong,
    ),
    pytest.param(
        best(2 * S / N * Diagonal(C) ** -1, among="diagonal"),
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
        same(A * Sigma + Sigma * A, 2 * eps / S * C, "sgd"),
        best(S / N * C**-1),
        same(trace(A * C), 2 * trace(C * A)),
    ):
        finding = stated.find()
        assert finding.verdict == "refuted"
        assert finding.condition is None


def test_an_unproved_condition_is_not_called_proved(monkeypatch):
    stated = same(2 * Sigma * A, eps / S * C, "sgd")
    monkeypatch.setattr(mining, "proof_under", lambda *a: None)
    _, (found,) = conditions_of_statements.found(asked(stated), False)
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
    assert condition.holds(condition.imposed(place))
    assert all(part.holds(condition.imposed(place)) for part in condition.parts)


def test_the_identity_is_a_letter_too():
    assert same(A * identity, identity * A).find().verdict == "proved"
