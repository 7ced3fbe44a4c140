"""Fresh claims that the code does not know: true, false, conditional, right to leading order."""

import pytest

from verification.claims.base import Printed
from verification.claims.freedom import DIAGONAL_OVER, GAIN_OVER, STEP_OVER
from verification.claims.minimiser import Minimiser
from verification.claims.moments import MomentEquation
from verification.claims.posterior import SamplesPosterior
from verification.claims.stationary import StationaryLaw
from verification.notation import (
    A,
    C,
    D,
    Diagonal,
    H,
    N,
    S,
    Sigma,
    eps,
    identity,
    mu,
    second,
    trace,
)
from verification.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S."}


def equation(left, right, of="sgd", time="continuous"):
    return StationaryLaw(
        "fresh", of=of, time=time, printed=(Printed(left, right),), paper="test", **COMMON
    )


@pytest.mark.parametrize(
    ("left", "right", "of", "time", "verdict"),
    [
        (A * Sigma + Sigma * A - eps * A * Sigma * A, eps / S * C, "sgd", "discrete", "proved"),
        (A * Sigma + Sigma * A, 2 * eps / S * C, "sgd", "continuous", "refuted"),
        (2 * A * Sigma, eps / S * C, "sgd", "continuous", "proved-if"),
        (A * Sigma, Sigma * A, "sgd", "continuous", "proved-if"),
        pytest.param(
            A * Sigma, Sigma * A, "momentum", "discrete", "proved-if", marks=pytest.mark.strong
        ),
        (A * Sigma + Sigma * A, eps / S * C, "sgd", "discrete", "limit-only"),
        (A * Sigma + Sigma * A, eps / S * C + eps**2 * C, "sgd", "discrete", "limit-only"),
        (N * (A * Sigma + Sigma * A), 2 * identity, "sgld", "discrete", "refuted"),
        (second("theta", "v"), second("v", "theta"), "momentum", "continuous", "proved-if"),
        pytest.param(
            A * second("v", "v"),
            second("v", "v") * A,
            "momentum",
            "discrete",
            "proved-if",
            marks=pytest.mark.strong,
        ),
    ],
)
def test_verdicts_on_fresh_equations(left, right, of, time, verdict):
    finding = equation(left, right, of, time).find()
    assert finding.verdict == verdict
    assert (finding.counterexample is None) == (verdict == "proved")
    if finding.corrected is not None:
        assert finding.corrected.verdict == "proved"


def test_a_sabotaged_proof_is_caught_by_the_exact_route(monkeypatch):
    from verification import standing

    monkeypatch.setattr(standing, "responses", lambda expr: {})  # every equation "holds"
    with pytest.raises(RoutesDisagree):
        equation(A * Sigma + Sigma * A, 2 * eps / S * C).find()


def minimiser(value, over, parameter):
    return Minimiser("fresh", of="sgd", printed=(Printed(parameter, value),), over=over, **COMMON)


@pytest.mark.strong
def test_minimisers():
    assert minimiser(2 * S * D / (N * trace(C)), STEP_OVER, eps).find().verdict == "proved"
    wrong = minimiser(S * D / (N * trace(C)), STEP_OVER, eps).find()
    assert wrong.verdict == "refuted"
    assert "2*D*S" in wrong.corrected.text
    assert wrong.counterexample is not None
    assert minimiser(S / N * C**-1, GAIN_OVER, H).find().verdict == "refuted"
    assert minimiser(2 * S / N * Diagonal(C) ** -1, DIAGONAL_OVER, H).find().verdict == "proved-if"


def test_posterior_gains():
    def gain(value, time="continuous"):
        return SamplesPosterior(
            "fresh", of="sgd", printed=(Printed(H, value),), time=time, **COMMON
        ).find()

    assert gain(2 * S / N * C**-1).verdict == "proved"
    assert gain(2 * (A + N * C / S) ** -1, "discrete").verdict == "proved"
    wrong = gain(S / N * C**-1)
    assert wrong.verdict == "refuted"
    assert wrong.corrected.text == "H = 2*S*C**(-1)/N"


def test_moment_equations():
    def rate(right):
        return MomentEquation(
            "fresh", of="momentum", printed=(Printed(0 * eps, right),), moment=("theta", "v"), **COMMON
        ).find()

    true = second("v", "v") - mu * second("theta", "v") - eps * Sigma * A
    assert rate(true).verdict == "proved"
    wrong = rate(second("v", "v") - mu * second("theta", "v") - eps * A * Sigma)
    assert wrong.verdict == "refuted"
    assert wrong.counterexample.left != wrong.counterexample.right
