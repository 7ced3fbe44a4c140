"""Fresh claims about stability, one mode of samplers that the paper does not have."""

import numpy as np
import pytest
import sympy as sp

from sgtheory.onestep.affine import LAMBDA
from verification.claims.base import Printed
from verification.claims.sometimes import Sometimes, Steadier
from verification.claims.stable import Settles, Stable
from verification.notation import eps, mu
from verification.refuter.script import run
from verification.statements import Moves, vanishing
from verification.statements import claim as stated
from verification.theories.matrices.relaxation import RELAXATION

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
theta, r = sp.Symbol("theta"), sp.Symbol("r", positive=True)
HERE = {"at": "here", "title": "T", "says": "S."}
TO_ZERO = (Settles(theta, sp.Integer(0)),)


def stable(**more):
    return Stable("fresh", printed=TO_ZERO, time="discrete", **more, **COMMON)


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (stable(of="sgd", where=(Printed(eps * LAMBDA, sp.Integer(2), "<"),), only=True), "proved"),
        (stable(of="sgd", where=(Printed(eps * LAMBDA, sp.Integer(1), "<"),)), "proved"),
        (stable(of="sgd", where=(Printed(eps * LAMBDA, sp.Integer(1), "<"),), only=True), "refuted"),
        (stable(of="sgd", where=(Printed(eps * LAMBDA, sp.Integer(3), "<"),)), "proved-if"),
        (stable(of="sgd"), "proved-if"),
    ],
)
def test_verdicts_and_scripts(claim, word):
    finding = claim.find()
    assert finding.verdict == word
    if finding.counterexample is not None:
        assert run(finding.counterexample.script) is False
    if word != "refuted":
        assert claim.twins(finding).survivors == ()
    if word == "proved-if":
        assert finding.condition == "eps*lambda < 2"


def test_a_smaller_step_never_harms_and_a_larger_one_never_helps():
    for relation, word in (("smaller", "proved"), ("larger", "refuted")):
        claim = Sometimes(
            "fresh", of="sgd", time="discrete", printed=(Steadier(eps, None, relation),), **COMMON
        )
        assert claim.find().verdict == word


def test_relaxation_times_by_eigenvalues():
    slower = Moves(RELAXATION, "grows", vanishing(mu, (eps, r * mu)))
    claim = stated("fresh", of="momentum", read=slower, **HERE)
    assert claim.find("discrete").verdict == "proved"
    times = []
    for damping in (1 / 16, 1 / 256):
        M = np.array([[1 - damping, 1 - damping], [-damping, 1 - damping]])
        times.append(-1 / np.log(abs(np.linalg.eigvals(M)).max()))
    assert times[1] / times[0] == pytest.approx(16, rel=0.05)
    faster = Moves(RELAXATION, "shrinks", vanishing(eps))
    finding = stated("fresh", of="sgd", read=faster, **HERE).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
