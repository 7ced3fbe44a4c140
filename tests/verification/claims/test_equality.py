"""Equalities of traces, log determinants and means that the code does not know."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from verification.claims.base import Printed
from verification.claims.equality import Equality
from verification.claims.exactly import Exactly
from verification.claims.minimum import ArgMin, FormulaMinimum
from verification.gaussians import Divergence, MeanForm, MeanLogDensity, divergence, mean_log_density
from verification.kinds import Transpose
from verification.miner.conditions import Commute, OneDimensional
from verification.notation import A, C, D, H, N, S, Sigma, eps, trace
from verification.quantities import Determinant
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

q, f = sp.symbols("q f")
Q = sp.Symbol("Q", commutative=False)
KL = Divergence(Sigma, q, A**-1 / N, f)
PRINTED_GAIN = ((Q, Sigma * H**-1), (H, eps * H))


def logdet(X):
    return sp.log(Determinant(X))


def equality(left, right, relation="=", **more):
    common = {"at": "here", "title": "T", "says": "S.", "paper": "test", "of": "sgd"}
    return Equality("fresh", **{**common, **more}, printed=(Printed(left, right, relation),))


MEAN_OF_LOG = MeanLogDensity(A**-1 / N, f, Sigma, q)
CLAIMS = [
    (equality(KL, MeanLogDensity(Sigma, q, Sigma, q) - MEAN_OF_LOG), "proved", "proved"),
    (equality(KL, MEAN_OF_LOG - MeanLogDensity(Sigma, q, Sigma, q)), "refuted", "refuted"),
    (equality(MeanForm(A, Sigma, q), eps / (2 * S) * trace(C)), "proved", "limit-only"),
    (
        equality(logdet(Sigma), D * sp.log(eps), "=c=", constant_in=(eps,)),
        "proved",
        "limit-only",
    ),
    (equality(logdet(Sigma), sp.log(eps), "=c=", constant_in=(eps,)), "proved-if", "refuted"),
    (
        equality(H * A * Sigma + Sigma * A * H, H * C * H / S, defined=PRINTED_GAIN),
        "proved",
        "limit-only",
    ),
    (equality(Q * A, A * Q, defined=PRINTED_GAIN), "proved-if", "proved-if"),
]


@pytest.mark.parametrize(("claim", "process", "algorithm"), CLAIMS)
@pytest.mark.strong
def test_verdicts(claim, process, algorithm):
    found = claim.find()
    assert found.verdict == process
    assert claim.find("discrete").verdict == algorithm
    twins = claim.twins(found)
    assert twins.survivors == ()
    assert twins.rejected == twins.tried
    if process in ("refuted", "proved-if"):
        assert not run(found.counterexample.script)


def test_a_divergence_up_to_a_constant_is_put_right():
    wrong = equality(KL, N * eps / S * trace(C) + logdet(Sigma), "=c=", constant_in=(eps, S))
    found = wrong.find()
    assert found.verdict == "refuted"
    assert found.corrected.text == "KL(q || f) =c= eps*N*Trace(C)/(4*S) - log(Determinant(Sigma))/2"


@pytest.mark.strong
def test_a_missing_transpose_is_found_in_both_times():
    wrong = equality(A * Transpose(Q) + Q * A, C / S, defined=PRINTED_GAIN)
    assert wrong.find().corrected.text == "A*Q + Q^T*A = C/S"
    assert wrong.find("discrete").corrected.text == "A*Q + Q^T*A = A*Sigma*A + C/S"


def test_the_first_terms_of_gaps():
    claim = equality(trace(A * Sigma), trace(C * H) / (2 * S), defined=PRINTED_GAIN)
    assert claim.find("discrete").gap.term.text == "eps*H*lambda_i/2"
    constant = equality(logdet(Sigma), D * sp.log(eps), "=c=", constant_in=(eps,))
    assert constant.find("discrete").gap.term.text == "eps*lambda_i/2"


def test_means_by_regressions_are_those_of_the_textbook():
    source = np.random.default_rng(1)
    g, h = source.integers(-3, 4, (2, 3, 3))
    V, W = (x @ x.T + 2 * np.eye(3, dtype=int) for x in (g, h))
    exact = [[[Fraction(int(x)) for x in row] for row in m] for m in (V, W)]
    ratio = np.linalg.solve(W, V)
    wanted = (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - 3) / 2
    assert float(divergence(*exact).decimal()) == pytest.approx(wanted, rel=1e-12)
    density = mean_log_density(exact[1], exact[0], Fraction(7))
    wanted = -(3 * np.log(7) + np.linalg.slogdet(W)[1] + np.trace(ratio)) / 2
    assert float(density.decimal()) == pytest.approx(wanted, rel=1e-12)


def test_a_sabotaged_engine_is_caught(monkeypatch):
    from sgtheory.matrices import proof

    monkeypatch.setattr(proof, "_difference", lambda left, right: 0)  # everything is equal
    with pytest.raises(RoutesDisagree):
        equality(trace(A * Sigma), trace(C)).find()


def test_dropped_letters_are_not_missed():
    claim = equality(KL, trace(A * Sigma) * N / 2 - logdet(Sigma) / 2, "=c=", constant_in=(eps, S))
    assert claim.find().verdict == "proved"
    assert replace(claim, constant_in=(eps, S, N)).find().verdict == "refuted"


def test_a_condition_that_is_needed_and_one_that_is_not():
    common = {"at": "here", "title": "T", "says": "S.", "paper": "test", "of": "sgd"}
    trace_of_inverse = equality(trace(A**-1 * Sigma**-1), 2 * S / eps * trace(C**-1))
    together = Commute(("A", "C"))
    needed = Exactly("fresh", **common, inner=trace_of_inverse, when=together).find()
    assert (needed.verdict, len(needed.evidence)) == ("proved", 3)
    free = equality(trace(A * Sigma), eps / (2 * S) * trace(C))
    needless = Exactly("fresh", **common, inner=free, when=together).find()
    assert needless.verdict == "refuted"
    assert not run(needless.counterexample.script)
    too_weak = Exactly("fresh", **common, inner=equality(A * Sigma, Sigma * A), when=OneDimensional(()))
    assert too_weak.find().verdict == "refuted"  # matrices may commute in any dimension


@pytest.mark.parametrize(
    ("letter", "value", "formula", "verdict"),
    [
        (eps, 2 * S * D / (N * trace(C)), N * eps * trace(C) / (4 * S) - D * sp.log(eps) / 2, "proved"),
        (eps, S * D / (N * trace(C)), N * eps * trace(C) / (4 * S) - D * sp.log(eps) / 2, "refuted"),
        (H, C**-1 * 2, trace(C * H) / 2 - logdet(H), "proved"),
        (H, C**-1 * 2, trace(C * H) / 2 + logdet(H), "refuted"),
        (H, C**-1, trace(C * H) / 2 - logdet(H), "refuted"),
    ],
)
def test_minima_of_formulas(letter, value, formula, verdict):
    common = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
    claim = FormulaMinimum("fresh", **common, printed=(ArgMin(letter, value, objective=formula),))
    found = claim.find()
    assert found.verdict == verdict
    twins = claim.twins(found)
    assert twins.rejected == twins.tried
    if verdict == "refuted":
        assert not run(found.counterexample.script)
    if value == 2 * C**-1 and verdict == "refuted":  # a sign of the formula makes it a minimum
        assert "Trace(C*H)/2 - log(Determinant(H))" in found.corrected.text
