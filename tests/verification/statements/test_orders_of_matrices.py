"""Orders of matrices: by congruences, at exact places, and in scripts that decide by pivots."""

from fractions import Fraction

import numpy as np
import pytest

from sgtheory.declare import Card, Sampler, gradient, matrix, normal, positive, state
from sgtheory.notation.matrixwords import LargestEigenvalue
from verification.notation import EE, A, B, C, D, Diagonal, N, Sigma, eps, identity, trace
from verification.refuter.conditions import AreProportional, IsIsotropic
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.statements import Compare, claim, term, transpose
from verification.terms.arithmetics.decimals import preamble

FULL_RANK = (("B", "positive definite"),)


def order(left, relation, right, of="", **more):
    return claim(
        "key", at="here", title="t", says="s.", of=of, read=Compare(left, relation, right), **more
    )


ORDERS = [
    (order(Sigma, ">=", (N * A) ** -1, "sgld"), "proved", "proved"),
    # without gradient noise the process samples the posterior, and the algorithm still does not
    # (it is so where noise is a multiple of curvature, which has full rank)
    (order(Sigma, ">", (N * A) ** -1, "sgld"), "proved-if", "proved"),
    (order(Sigma, ">", (N * A) ** -1, "sgld", kinds=FULL_RANK), "proved", "proved"),
    (order(Sigma, "<=", (N * A) ** -1, "sgld"), "refuted", "refuted"),
    (order(Sigma, ">", 0, "sgfs", kinds=(("E", "positive definite"),)), "proved", "proved"),
    (order(Sigma, ">", 0, "sgfs"), "proved-if", "proved-if"),
    (order(Sigma, ">=", 0, "sgd"), "proved", "proved"),
]


@pytest.mark.parametrize(("claim", "process", "algorithm"), ORDERS)
@pytest.mark.strong
def test_orders_of_laws(claim, process, algorithm):
    found = claim.find()
    assert (found.verdict, claim.find("discrete").verdict) == (process, algorithm)
    assert claim.twins(found).survivors == ()
    if process in ("refuted", "proved-if"):
        assert not run(found.counterexample.script)


@pytest.mark.strong
def test_noise_that_may_be_none_makes_nothing_strictly_positive():
    """A is no multiple of a covariance that is zero; such a one is a multiple of the identity."""
    found = order(Sigma, ">", 0, "sgfs").find()
    assert str(found.condition) == "A is a multiple of B B^T"
    zero, one = [[Fraction(0)] * 2] * 2, [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    nothing = Place({"A": one, "B": zero, "C": zero}, {})
    assert IsIsotropic(("C",)).holds(nothing)
    assert not AreProportional(("A", "C")).holds(nothing)
    assert AreProportional(("C", "A")).holds(nothing)


def test_orders_of_letters():
    assert order(eps * C + EE, ">=", 0).find().verdict == "proved"
    assert order(eps * C + EE, ">", 0).find().verdict == "refuted"
    assert order(eps * C + EE, ">=", eps / 2 * C).find().verdict == "proved"
    wrong = order(Diagonal((C + identity) ** -1), "<=", Diagonal(C + identity) ** -1).find()
    assert wrong.verdict == "refuted"
    assert not run(wrong.counterexample.script)


def test_an_unsymmetric_difference_is_in_no_order():
    assert order(A * C, ">=", 0).find().verdict == "refuted"


def test_how_an_order_is_written():
    assert order(Sigma, ">", (N * A) ** -1, "sgld").printed_latex() == [r"\Sigma \succ \frac{A^{-1}}{N}"]


def test_the_smallest_eigenvalue_of_an_overestimate():
    source = np.random.default_rng(3)
    for d in (2, 3, 5):
        g, h = source.standard_normal((2, d, d))
        K, N_, S_, step = g @ g.T + np.eye(d), 20.0, 2.0, 0.002
        M = np.eye(d) - step / 2 * N_ * K
        Q = step * np.eye(d) + (step * N_ / 2) ** 2 / S_ * h @ h.T
        P = np.linalg.solve(np.eye(d * d) - np.kron(M, M), Q.ravel()).reshape(d, d)
        assert np.linalg.eigvalsh(P - np.linalg.inv(N_ * K)).min() > 0


@pytest.mark.parametrize(
    ("X", "semidefinite", "definite"),
    [
        ([[2, 1], [1, 2]], True, True),
        ([[1, 1], [1, 1]], True, False),
        ([[0, 1], [1, 0]], False, False),  # its first pivot is zero, its row is not
        ([[0, 0], [0, 1]], True, False),
        ([[1, 2], [2, 1]], False, False),
        ([[1, 1], [0, 1]], False, False),  # not symmetric
        ([[0, 0, 0], [0, 1, 2], [0, 2, 3]], False, False),
    ],
)
def test_pivots_decide_in_scripts(X, semidefinite, definite):
    rows = "; ".join(" ".join(map(str, row)) for row in X)
    for strictly, expected in ((False, semidefinite), (True, definite)):
        asks = f"print(_definite(_dec(rows({rows!r})), {strictly}, d(10) ** -40))"
        assert run("\n".join([*preamble(60, asks, True), asks, ""])) is expected


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (order(LargestEigenvalue(A), "<=", trace(A)), "proved"),
        (order(LargestEigenvalue(A), "<", trace(A)), "refuted"),
        (order(trace(A), "<=", D * LargestEigenvalue(A)), "proved"),
        (order(trace(C), ">", 0), "proved"),
        (order(trace(A * A), "<=", trace(A) ** 2), "proved"),
        # true in one dimension and in two, and false at the identity in three
        (order(trace(A) ** 2, "<=", 2 * trace(A * A)), "refuted"),
        (order(trace(A), "<=", 2 * LargestEigenvalue(A)), "refuted"),
    ],
)
def test_numbers_are_in_order_in_every_dimension(claim, verdict):
    assert claim.find().verdict == verdict


@pytest.mark.parametrize("power", [1, 2])
def test_a_symmetric_matrix_is_not_taken_for_a_positive_one(power):
    kinds = (("A", "symmetric"),)
    assert order(A, ">=", 0, kinds=kinds).find().verdict == "refuted"
    assert order(A**2, ">", 0, kinds=kinds).find().verdict == "refuted"
    assert order(trace(A**power), ">", 0, kinds=kinds).find().verdict == "refuted"


def test_a_factor_of_the_noise_is_not_taken_for_a_positive_one():
    """It was proved, and a place said otherwise, of a step with a matrix of its own."""
    theta, xi, h, P = state("theta"), normal("xi"), positive("h"), matrix("P")
    step = theta - h * gradient(theta) + P @ xi
    own = Sampler((theta,), ((theta, step),), noises=(xi,), convention=Card.of_a_text(), name="own")
    found = order(term(B) + transpose(term(B)), ">", 0, own, time="discrete").find()
    assert found.verdict == "refuted"
