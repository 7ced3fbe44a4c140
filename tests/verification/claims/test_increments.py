"""Fresh claims about increments, of samplers that the paper does not have."""

import pytest
import sympy as sp

from verification.claims.base import Printed
from verification.claims.increments import MeanEquation, mean
from verification.claims.products import NoiseProduct, ProductRule, Products
from verification.notation import A, C, S, Sigma, eps, mu
from verification.refuter.script import run

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
ZERO = sp.Integer(0)


def of_mean(right, of="sgd", state="theta", time="discrete"):
    return MeanEquation(
        "fresh", of=of, of_state=state, time=time, printed=(Printed(ZERO, right),), **COMMON
    )


CASES = [
    (of_mean(-eps * A * mean("theta")), "proved"),
    (of_mean(-eps * mean("theta") * 2), "refuted"),
    (of_mean((1 - mu) * mean("v") - eps * A * mean("theta"), of="momentum"), "proved"),
    (of_mean(mean("v"), of="momentum_position_first"), "proved"),
    (of_mean(mean("v"), of="momentum"), "refuted"),
    (ProductRule("fresh", of="sgd", printed=(Products(),), **COMMON), "refuted"),
    (ProductRule("fresh", of="sgd", printed=(Products(times=(1, 1, 1)),), **COMMON), "proved"),
    (ProductRule("fresh", of="sgd", printed=(Products(times=(2, 0, 1)),), **COMMON), "refuted"),
    (NoiseProduct("fresh", of="sgd", printed=(Printed(Sigma, eps**2 / S * C),), **COMMON), "proved"),
    (NoiseProduct("fresh", of="sgd", printed=(Printed(Sigma, eps / S * C),), **COMMON), "refuted"),
]


@pytest.mark.parametrize(("claim", "word"), CASES)
def test_verdicts_scripts_and_twins(claim, word):
    finding = claim.find()
    assert finding.verdict == word
    if word == "refuted":
        assert run(finding.counterexample.script) is False
        assert finding.corrected.verdict == "proved"
    else:
        twins = claim.twins(finding)
        assert twins.tried >= 2
        assert twins.survivors == ()
