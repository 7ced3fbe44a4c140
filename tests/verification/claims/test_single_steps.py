"""Statements about single steps: true, false."""

import pytest
import sympy as sp

from verification.claims.rough import RoughStep
from verification.refuter.script import run

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}


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
