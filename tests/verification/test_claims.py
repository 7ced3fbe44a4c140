"""Fresh claims that the code does not know: true, false, conditional, right to leading order."""

import pytest

from verification.notation import (
    EE,
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
    second,
    trace,
)
from verification.papers.mandt2017.hypotheses import ONE_EXAMPLE
from verification.papers.mandt2017.letters import KL, SAMPLES_POSTERIOR
from verification.statements import Best, Printed, claim
from verification.statements.stationary import StationaryLaw
from verification.verdicts.verdict import RoutesDisagree

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
    from verification.theories.matrices import pairs

    monkeypatch.setattr(pairs, "responses", lambda expr: {})  # every equation "holds"
    with pytest.raises(RoutesDisagree):
        equation(A * Sigma + Sigma * A, 2 * eps / S * C).find()


def best(letter, value, among="all"):
    sets = ((eps, 1),) if letter == H else ()
    printed = Best(letter, value, of=KL, among=among)
    return claim("fresh", of="sgd", printed=printed, sets=sets, **COMMON).find()


@pytest.mark.strong
def test_best_values_of_a_divergence():
    assert best(eps, 2 * S * D / (N * trace(C))).verdict == "proved"
    wrong = best(eps, S * D / (N * trace(C)))
    assert wrong.verdict == "refuted"
    assert wrong.corrected.text.startswith("eps = 2*D*S/(N*tr(C)) minimises")
    assert wrong.counterexample is not None
    assert best(H, S / N * C**-1).verdict == "refuted"
    diagonal = best(H, 2 * S / N * Diagonal(C) ** -1, "diagonal")
    assert (diagonal.verdict, diagonal.condition) == (
        "proved-if",
        "B B^T is diagonal or A is a multiple of B B^T",
    )


def test_posterior_gains():
    def gain(value, time="continuous"):
        return claim(
            "fresh",
            of="sgd",
            read=SAMPLES_POSTERIOR,
            sets=((eps, 1), (H, value)),
            time=time,
            **COMMON,
        ).find()

    assert gain(2 * S / N * C**-1).verdict == "proved"
    assert gain(2 * (A + N * C / S) ** -1, "discrete").verdict == "proved"
    wrong = gain(S / N * C**-1)
    assert wrong.verdict == "refuted"
    assert wrong.corrected.text == "H = 2*S*C**(-1)/N"


def test_posterior_gains_beside_injected_noise():
    def gain(value, *given, time="continuous"):
        return claim(
            "fresh",
            of="sgfs",
            given=given,
            read=SAMPLES_POSTERIOR,
            sets=((H, value),),
            time=time,
            **COMMON,
        )

    printed = gain(2 / N * (eps * C + EE) ** -1, ONE_EXAMPLE)
    assert printed.find().verdict == "proved"
    assert printed.twins(printed.find()).survivors == ()
    discrete = printed.find("discrete")
    assert discrete.verdict == "limit-only"
    assert (discrete.gap.parameter, discrete.gap.order) == ("1/N", "1")
    assert discrete.gap.term.text == "eps*lambda_i/(N*(EE_ii + eps*C_ii))"
    exact = gain(2 / N * (eps * (C + A / N) + EE) ** -1, ONE_EXAMPLE, time="discrete")
    assert exact.find().verdict == "proved"
    any_minibatch = printed.without(ONE_EXAMPLE).find()
    assert any_minibatch.verdict == "refuted"
    assert any_minibatch.corrected.text == "H = 2*(EE^T + eps*C/S)**(-1)/N"
    assert gain(2 / N * (eps / S * C + EE) ** -1).find().verdict == "proved"
    assert gain(2 / N * (eps / S * C + 2 * EE) ** -1).find().verdict == "refuted"
