"""Identities that the code does not know, with and without the law of a sampler in them."""

import pytest

from verification.claims.base import Printed
from verification.claims.identity import Identity
from verification.miner.conditions import Commute
from verification.notation import A, C, D, S, Sigma, eps, mu, second, trace
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}


def identity(left, right, **more):
    return Identity("fresh", **COMMON, printed=(Printed(left, right),), **more)


@pytest.mark.parametrize(
    ("claim", "verdict", "condition"),
    [
        (
            identity((A + C) ** -1, A**-1 - A**-1 * (A**-1 + C**-1) ** -1 * A**-1),
            "proved",
            None,
        ),
        (identity((A * C) ** 2, A**2 * C**2), "proved-if", "A and B B^T commute"),
        (identity(trace(A * C), trace(A) * trace(C)), "proved-if", "D = 1"),
        (
            identity(trace(A) * trace(C), D * trace(A * C)),
            "proved-if",
            "A is a multiple of the identity or B B^T is a multiple of the identity",
        ),
        (identity(trace(A * Sigma), eps / (2 * S) * trace(C), of="sgd"), "proved", None),
        (
            identity(Sigma, eps / (2 * S) * A**-1 * C, of="sgd"),
            "proved-if",
            "A and B B^T commute",
        ),
        (identity(trace(A * Sigma), eps / S * trace(C), of="sgd"), "refuted", None),
    ],
)
def test_verdicts(claim, verdict, condition):
    finding = claim.find()
    assert finding.verdict == verdict
    assert finding.condition == condition
    if verdict != "proved":
        assert not run(finding.counterexample.script)
    twins = claim.twins(finding)
    assert twins.rejected == twins.tried


@pytest.mark.strong
def test_what_is_missing_is_found():
    wrong = identity(trace(second("v", "v")), eps**2 / S * trace(C), of="momentum").find()
    assert wrong.verdict == "refuted"
    assert wrong.corrected.text == "Trace(E[v v^T]) = eps**2*Trace(C)/(2*mu*S)"
    assert mu in wrong.corrected.printed[0].right.free_symbols


def test_a_hypothesis_can_be_added_and_dropped():
    claim = identity(A * C, C * A)
    together = Commute(("A", "C"))
    assert claim.under(together).find().verdict == "proved"
    assert claim.under(together).without(together).find().verdict == "proved-if"


def test_a_sabotaged_normal_form_is_caught(monkeypatch):
    from sgtheory.matrices import proof

    monkeypatch.setattr(proof, "_difference", lambda left, right: 0)  # everything is equal
    with pytest.raises(RoutesDisagree):
        identity(A * C, C * A).find()
