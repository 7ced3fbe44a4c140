"""Claims on invariant laws: wrong printings are refuted by all routes, and their scripts see it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import Integer, Rational

from sgtheory.operator import stationary
from sgtheory.problem import Problem
from verification.claims.base import Printed
from verification.claims.invariant_moment import Expanded, InvariantMoment
from verification.claims.invariant_size import InvariantSize, sizes
from verification.claims.invertible import ARGUMENT, Invertible, operator
from verification.claims.linear_law import LinearLaw
from verification.invariants.balance import balanced, examples
from verification.invariants.laws import Logistic, moments
from verification.invariants.words import (
    D2U,
    Cubic,
    GInverse,
    HInverse,
    LInverse,
    M,
    eta,
    mean,
    p,
    second,
)
from verification.notation import N, identity
from verification.verdict import Twins

WORDS = ("x", "here", "x", "x")
HALF_N, HALF_ETA = N ** Rational(-3, 2), eta ** Rational(3, 2)


def moment(of, what, right, remainder):
    left = second(of) if what == "second" else mean(of)
    return InvariantMoment(
        *WORDS, of=of, what=what, printed=(Expanded(left, right, remainder=remainder),)
    )


@pytest.mark.parametrize(
    ("of", "what", "wrong", "remainder", "true"),
    [
        ("lmc", "second", HInverse(identity), HALF_N, "H^-1(2*I)"),
        ("lmc", "second", LInverse(2 * identity), HALF_N, "H^-1(2*I)"),
        ("sgldfp", "mean", -(D2U**-1) * Cubic(HInverse(identity)), HALF_N, "D3U[G^-1(2*I)]"),
        pytest.param(
            "sgd",
            "second",
            GInverse(2 * identity + eta / p * M),
            HALF_ETA,
            "G^-1(eta*M/p)",
            marks=pytest.mark.strong,
        ),
        ("sgd", "mean", -eta / p * D2U**-1 * Cubic(GInverse(M)), HALF_ETA, "D3U[G^-1(eta*M/p)]"),
        pytest.param(
            "sgld",
            "second",
            GInverse(2 * identity + eta / p * M),
            eta**3,
            "O(eta**2)",
            marks=pytest.mark.strong,
        ),
    ],
)
def test_a_wrong_expansion_is_refuted_and_mended(of, what, wrong, remainder, true):
    found = moment(of, what, wrong, remainder).find()
    assert found.verdict == "refuted"
    assert true in found.corrected.text
    assert found.counterexample.script.endswith("\n")  # it was run, and said False


def test_where_eta_vanishes_the_operator_without_a_step_serves_as_well():
    # G and L differ by as much as is left out
    claim = moment("sgd", "second", eta / p * LInverse(M), HALF_ETA)
    assert claim.find().verdict == "proved"
    assert moment("lmc", "second", LInverse(2 * identity), HALF_N).in_letters() is False


def test_the_rate_between_sizes_is_the_second_power():
    claim = moment("sgldfp", "second", GInverse(2 * identity), HALF_N)
    assert claim.rate() == pytest.approx(2, abs=0.05)
    assert replace(claim, printed=(replace(claim.expanded, right=0 * identity),)).rate() < 1.05


def test_laws_on_logistic_regression_are_those_of_the_operator():
    X, y = [[2], [2], [1]], [1, 1, -1]
    content = {"model": "logistic_regression", "X": X, "y": y, "ridge": 1, "S": 1}
    problem = Problem.of({**content, "params": {"gamma": "1/12"}})
    at = float(problem.examples.center[0])
    value, error = stationary("sgldfp", problem).expect(lambda x: (x - at) ** 2)
    own = moments("sgldfp", Logistic((2.0, 2.0, 1.0), (1.0, 1.0, 0.0), 3), 1 / 12)
    assert own.second == pytest.approx(value, abs=1e-9 + 10 * error)


def test_balanced_moments_do_not_change_in_a_step():
    data, step = examples(1, 3), Fraction(1, 100)
    _, P = balanced("sgd", data, 6, 1, step)
    after = Fraction(0)
    for g, h, _ in data.kinds:
        a, b = 1 - step * (data.prior[1] + 6 * h)[0, 0], step * 6 * g[0]
        after += (a**2 * P[0, 0] + b**2) / 3
    assert after == P[0, 0]


@pytest.mark.parametrize(
    ("printed", "regime", "words"),
    [
        (sizes("covariance", Integer(1), "lmc"), "N", "Theta(1/N)"),
        (sizes("covariance", 1 / N, "sgld"), "N", "Theta(1)"),
        (sizes("gradient", N**2, "sgldfp"), "N", "Theta(N)"),
        (sizes("covariance", eta**2, "sgd"), "eta", "Theta(eta)"),
        (sizes("spread", N**-2, "lmc", relation="o"), "N", "Theta(N**(-2))"),
    ],
)
def test_a_wrong_size_is_refuted_and_mended(printed, regime, words):
    found = InvariantSize(*WORDS, printed=printed, regime=regime).find()
    assert found.verdict == "refuted"
    assert words in found.corrected.text


def test_an_upper_bound_needs_no_letter_away_from_zero():
    assert (
        InvariantSize(*WORDS, printed=sizes("bias", 1 / N, "lmc", relation="O")).find().verdict
        == "proved"
    )
    needing = InvariantSize(*WORDS, printed=sizes("bias", 1 / N, "lmc"), needing=("u3",))
    assert needing.find().verdict == "proved"


def test_a_wrong_law_of_linear_regression_is_refuted_and_mended():
    claim = LinearLaw(*WORDS, of="sgld", printed=(Printed(second("SGLD"), GInverse(2 * identity)),))
    found = claim.find()
    assert (found.verdict, found.corrected.verdict) == ("refuted", "proved")
    assert found.counterexample.right == "16/49"
    assert claim.twins(found).survivors == ()


def test_an_operator_that_is_singular_without_a_step():
    claim = Invertible(*WORDS, operator=operator(noise=True))
    assert claim.find().verdict == "proved"
    commutator = D2U * ARGUMENT - ARGUMENT * D2U
    wrong = replace(claim, operator=commutator)
    assert wrong.find().verdict == "refuted"
    assert wrong.twins(wrong.find()) == Twins(0, 0)


def test_the_weights_of_a_law_have_the_density_of_a_normal_one():
    # without examples LMC is linear: its variance is 2/(2 - gamma)
    found = moments("lmc", Logistic((0.0, 0.0), (1.0, 0.0), 2), 0.5)
    assert found.second == pytest.approx(2 / 1.5, rel=1e-12)
    # and the sum of its autocovariances is 2 gamma/gamma^2
    assert found.summed == pytest.approx(4, rel=1e-9)
    assert np.isclose(found.mean, 0, atol=1e-12)
