"""Statements on invariant laws about the mode: what is wrong is refuted and mended, scripts see it."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from sympy import Symbol

from sgtheory.operator import stationary
from sgtheory.problem import Problem
from verification.papers.brosse2018.letters import STEPS, eta, p
from verification.papers.brosse2018.section_3_2_hypotheses import (
    HALF_MORE_ETA,
    HALF_MORE_N,
    SMALLER_STEPS,
    WITH_NOISE,
    N,
    each,
)
from verification.statements import Equal, Order, claim, expanded
from verification.theories.invariants import (
    HESSIAN,
    IDENTITY,
    LINEAR,
    NOISE,
    bias,
    cov,
    gradient_noise,
    off,
    second,
    spread,
    third,
    undone,
)
from verification.theories.invariants.balance import balanced, examples
from verification.theories.invariants.chains import Bent, moment
from verification.theories.invariants.given import Away
from verification.theories.invariants.letters import SCALED, TAU, may_vanish

HERE = {"at": "here", "title": "x"}
HALF, EIGHTH = Fraction(1, 2), Fraction(1, 8)


def stated(statement, *given):
    return claim("x", read=statement, given=given, **HERE)


@pytest.mark.parametrize(
    ("left", "wrong", "remainder", "way", "true"),
    [
        (second("lmc"), undone("H", IDENTITY), HALF_MORE_N, STEPS, "H^-1(2*I)"),
        (second("lmc"), undone("L", 2 * IDENTITY), HALF_MORE_N, STEPS, "H^-1(2*I)"),
        (off("sgldfp"), -(HESSIAN**-1) * third(undone("H", IDENTITY)), HALF_MORE_N, STEPS, "G^-1(2*I)"),
        (second("sgd"), undone("G", WITH_NOISE), HALF_MORE_ETA, SMALLER_STEPS, "G^-1(eta/p*M)"),
        (
            off("sgd"),
            -eta / p * HESSIAN**-1 * third(undone("G", NOISE)),
            HALF_MORE_ETA,
            SMALLER_STEPS,
            "D3U[G^-1(eta/p*M)]",
        ),
        (second("sgld"), undone("G", WITH_NOISE), eta**3, SMALLER_STEPS, "O(eta**2)"),
    ],
)
def test_a_wrong_expansion_is_refuted_and_mended(left, wrong, remainder, way, true):
    found = stated(expanded(left, wrong, remainder, way), Away.of(("bounded", "slow"))).find()
    assert found.verdict == "refuted"
    assert true in found.corrected.text
    assert found.counterexample.script.endswith("\n")  # it was run, and said False


def test_where_eta_vanishes_the_operator_without_a_step_serves_as_well():
    # G and L differ by as much as is left out
    right = eta / p * undone("L", NOISE)
    statement, bounded = (
        expanded(second("sgd"), right, HALF_MORE_ETA, SMALLER_STEPS),
        Away.of(("bounded", "slow")),
    )
    assert stated(statement, bounded).find().verdict == "proved"


def test_what_is_at_most_of_some_size_needs_gradients_that_do_not_grow_with_the_number_of_examples():
    """H1 bounds no gradients: with pulls of size sqrt(N) noise at the mode is as large as theta."""
    found = stated(Order(cov("sgd"), "O", eta, SMALLER_STEPS)).find()
    assert (found.verdict, found.condition) == ("proved-if", "M/N stays bounded")
    assert found.converse.known == "necessary"
    assert found.counterexample.problem["louder"] == "1"
    below = stated(Order(cov("sgd"), "Omega", eta, SMALLER_STEPS)).find()
    assert "bounded" not in below.needs.names


@pytest.mark.parametrize("rate", [0.1, 0.02])
def test_two_examples_that_pull_by_sqrt_N_leave_the_spread_of_gradients_and_no_mean(rate):
    """What M/N between two numbers is not enough for: U_i' = x + (1 - cos x)/2, but for two of them.

    M/N is 2 at every N and the fourth moment grows with N. A step meets one of the two with chance 2/N;
    what it leaves is followed, and counted as if no other came (E x = -E(1 - cos x)/2, which is at most
    the sum over excursions).
    """
    found = []
    for many in (1e4, 1e8, 1e12):
        bent = 0.0
        for start in (rate * many**0.5, -rate * many**0.5):
            x = start
            while abs(x) > 1e-9:
                bent += (1 - np.cos(x)) / many
                x -= rate * (x + (1 - np.cos(x)) / 2)
        found.append(bent / 2)
    assert found[1] < found[0] / 100  # there are log(N) steps
    assert found[2] < found[1] / 100
    asked = stated(Order(off("sgd"), "Omega", 1, STEPS)).find()
    assert asked.needs.names == ("u3", "v11", "fourth", "eta")
    assert asked.converse.known == "not known"


def test_where_N_eta_grows_a_remainder_in_eta_needs_a_fourth_moment():
    """U_i' = 2 x - arctan(x), two of them pulled by sqrt(N) either way, at N = eta^(-2)."""
    gaps = []
    for rate in (0.1, 0.02, 0.004):
        x, found = 1.0, 0.0  # eta sqrt(N)
        while abs(x) > 1e-9:  # both pulls leave the same square
            found += 2 * x**2 * rate**2
            x -= rate * (2 * x - np.arctan(x))
        gaps.append((2 * rate / (2 - rate) - found) / rate)  # G^-1(eta M/p) with U''/N = 1, M/N = 2
    assert min(gaps) > 0.1  # of the order of eta, and not of eta^(3/2)
    right = eta / p * undone("G", NOISE)
    asked = stated(expanded(second("sgd"), right, HALF_MORE_ETA, SMALLER_STEPS)).find()
    assert asked.needs.names == ("bounded", "slow")


def test_laws_in_numbers_are_those_of_the_operator():
    # two examples of logistic regression at weight nothing: the prior alone, which is linear
    content = {"model": "linear_regression", "X": [[1], [2]], "y": [2, -1], "ridge": 1, "sigma2": 1}
    problem = Problem.of({**content, "S": 2, "params": {"gamma": "1/32"}})
    value, error = stationary("sgldfp", problem).expect(lambda x: x**2)
    # slopes 1 and 4 of x^2, half of them each
    own = moment(
        "sgldfp",
        "second",
        Bent((Fraction(1), Fraction(4)), Fraction(2), Fraction(0), Fraction(2), Fraction(1, 32)),
    )
    assert float(own) == pytest.approx(value, abs=1e-9 + 10 * error)


@pytest.mark.parametrize("law", ["pi", "lmc", "sgldfp", "sgld", "sgd"])
@pytest.mark.parametrize("what", ["mean", "second", "noise", "spread"])
def test_bent_laws_go_over_into_straight_ones(law, what):
    bent, straight = (
        moment(law, what, Bent((HALF, EIGHTH), HALF, bend, Fraction(64), Fraction(1, 128)))
        for bend in (Fraction(1, 10**12), Fraction(0))
    )
    if straight is None:
        assert bent is None
    else:
        assert float(bent) == pytest.approx(float(straight), rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("law", ["lmc", "sgldfp", "sgld"])
def test_a_bent_law_is_the_one_of_its_density(law):
    """Sums over equally spaced points, which share nothing with polynomials at Chebyshev's points."""
    N_, gamma, bend = 256, 1 / 512, 0.125
    s, away = np.array([[0.75], [0.5], [0.5], [0.25]]), np.array([[1.0], [0.0], [0.0], [-1.0]])
    slopes = s if law != "lmc" else 0 * s + 0.5
    x = np.linspace(-1, 1, 801) * (2.5 if law == "sgld" else 0.8)
    drift = x + N_ * (slopes * x + bend * (1 - np.cos(x)) + (law == "sgld") * away / 2)
    moved = x - gamma * drift
    P = np.exp(-((x - moved[:, :, None]) ** 2) / (4 * gamma)).mean(axis=0)
    P *= (x[1] - x[0]) / (4 * np.pi * gamma) ** 0.5
    rows = P.T - np.eye(len(x))
    rows[0] = 1
    weight = np.linalg.solve(rows, np.eye(len(x))[0])
    data = Bent((3 * HALF / 2, HALF / 2), HALF, EIGHTH, Fraction(N_), Fraction(1, 512))
    assert moment(law, "mean", data) == pytest.approx(float(weight @ x), rel=1e-6)
    assert moment(law, "second", data) == pytest.approx(float(weight @ x**2), rel=1e-6)


def test_balanced_moments_do_not_change_in_a_step():
    data, step = examples(1, 3), Fraction(1, 100)
    _, P = balanced("sgd", data, 6, 1, step)
    after, step = 0, fmpq(1, 100)
    for g, h, _ in data.kinds:
        a, b = 1 - step * (data.prior[1] + 6 * h)[0, 0], step * 6 * g[0, 0]
        after += (a**2 * P[0, 0] + b**2) / 3
    assert after == P[0, 0]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (Order(cov("lmc"), "Theta", 1, STEPS), "Theta(1/N)"),
        (Order(gradient_noise("sgldfp"), "O", 1, STEPS), "O(N)"),
        (Order(spread("lmc"), "o", N**-2, STEPS), "Theta(1/N**2)"),
    ],
)
def test_a_wrong_size_is_refuted_and_mended(statement, words):
    found = stated(statement).find()
    assert found.verdict == "refuted"
    assert words in found.corrected.text


def test_an_upper_bound_needs_no_letter_away_from_zero():
    assert stated(Order(bias("lmc"), "O", 1 / N, STEPS)).find().verdict == "proved"
    away = Away.of(("u3",))
    assert stated(Order(bias("lmc"), "Theta", 1 / N, STEPS), away).find().verdict == "proved"


def test_the_bias_of_sgd_may_vanish_where_n_is_no_more_than_a_multiple_of_one_over_eta():
    """-u3 (v11 - 2 tau)/(4 u2^2) eta, tau = 1/(N eta): at v11 = 2 tau SGD's mean is the posterior's."""
    found = stated(each(bias, "Theta", eta, SMALLER_STEPS, "sgd")).find()
    assert found.verdict == "proved-if"
    assert found.needs.names == ("u3", "bounded", "slow", "tau")
    assert "1/(N eta) stays away from M/(2 p N)" in found.condition


def test_a_counterexample_shows_the_numbers_of_its_examples():
    shown = stated(Order(cov("sgld"), "Theta", 1, STEPS)).find().counterexample
    assert shown.problem["pull"] == "0"
    assert set(shown.problem) == {"h_1", "h_2", "pull", "c", "eta"}
    assert "'sgld': (1, 1.0, 1)" in shown.script


def test_a_factor_whose_sign_is_open_may_vanish():
    u2, u3, v11, v22 = SCALED.values()
    assert may_vanish(u3 * (v11 - 2 * TAU)) is None
    assert may_vanish(u3 * v11 * (u2**2 + v22)) == ("u3", "v11")
    assert may_vanish(u3**2 + u2**2) == ()
    assert may_vanish(u3 + u2) is None
    assert may_vanish(Symbol("rest_lmc_mean", real=True) * u2) is None


def test_a_wrong_law_of_linear_regression_is_refuted_and_mended():
    wrong = stated(Equal(second("sgld"), undone("G", 2 * IDENTITY)), LINEAR)
    found = wrong.find()
    assert (found.verdict, found.corrected.verdict) == ("refuted", "proved")
    assert wrong.twins(found).survivors == ()
    assert (
        stated(Equal(second("sgld"), undone("G", WITH_NOISE))).find().verdict == "refuted"
    )  # not linear
