"""Ranks: of laws under deficient noise, of covariances of data, of products and sums of matrices."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from verification.notation import C, D, N, Sigma, identity
from verification.refuter.conditions import HiddenMode
from verification.refuter.script import run
from verification.statements import Compare, claim, letter, letters
from verification.terms.batchwords import Average, columns, outer
from verification.terms.term import term
from verification.theories.matrices.words import rank

COMMON = {"at": "here", "title": "T"}
DEFICIENT = Compare(rank(C), "<", D)
X, Y = letters("X Y", "matrix")
ANY = (("X", "any"), ("Y", "any"))
x = columns("x")
delta = letter("delta")


def stated(statement, **more):
    return claim("fresh", read=statement, **more, **COMMON)


def of_law(of="sgd", **more):
    return stated(Compare(rank(Sigma), "<", D), of=of, **more)


@pytest.mark.parametrize("time", ["continuous", pytest.param("discrete", marks=pytest.mark.strong)])
def test_noise_of_low_rank_needs_a_mode_that_it_does_not_reach(time):
    finding = of_law(given=(DEFICIENT,)).find(time)
    assert finding.verdict == "proved-if"
    assert finding.condition == "an eigenvector of A is in the kernel of B B^T"
    assert finding.counterexample.left == finding.counterexample.right == "2"
    assert run(finding.counterexample.script) is False


def test_with_the_condition_given_it_is_proved_and_twins_are_rejected():
    one = of_law(given=(DEFICIENT, HiddenMode(("A", "C"))))
    finding = one.find()
    assert finding.verdict == "proved"
    assert one.twins(finding).survivors == ()


def test_injected_noise_reaches_every_mode():
    assert of_law("sgld", given=(DEFICIENT,)).find().verdict == "refuted"


FULL = Compare(rank(Average(outer(x))), ">=", D)
BOUNDS = {
    "of full rank": (Compare(N, ">=", D), {"given": (FULL,)}),
    "of examples": (Compare(rank(Average(outer(x))), "<=", N), {}),
    "of a product": (Compare(rank(X * Y), "<=", rank(Y)), {"kinds": ANY}),
    "of a sum": (Compare(rank(X + Y), "<=", rank(X) + rank(Y)), {"kinds": ANY}),
}
WRONG = {
    "one more than is needed": (Compare(N, ">", term(D)), {"given": (FULL,)}),
    "about a mean that is known": (Compare(rank(Average(outer(x))), "<=", term(N) - 1), {}),
    "of a product, the other way": (Compare(rank(X * Y), ">=", rank(Y)), {"kinds": ANY}),
}


@pytest.mark.parametrize("sentence", BOUNDS)
def test_what_bounds_a_rank_is_proved(sentence):
    statement, more = BOUNDS[sentence]
    one = stated(statement, **more)
    finding = one.find()
    assert finding.verdict == "proved"
    if "kinds" not in more:  # of data; few small places tell matrices of low rank from one another
        twins = one.twins(finding)
        assert twins.tried >= 2
        assert twins.survivors == ()


@pytest.mark.parametrize("sentence", WRONG)
def test_what_does_not_is_refuted(sentence):
    statement, more = WRONG[sentence]
    finding = stated(statement, **more).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_isotropic_noise_fills_the_rank_and_another_matrix_need_not():
    full = stated(Compare(C + delta * identity, ">", 0))
    finding = full.find()
    assert finding.verdict == "proved"
    assert full.twins(finding).survivors == ()
    wrong = stated(Compare(C - delta * identity, ">", 0)).find()
    assert wrong.verdict == "refuted"
    assert run(wrong.counterexample.script) is False


def test_controllability_in_floating_point():
    """Rank-one noise that touches all modes of three: full rank, by a Lyapunov solve."""
    curvature, b = np.diag([1.0, 2.0, 4.0]), np.ones((3, 1))
    assert np.linalg.matrix_rank(solve_continuous_lyapunov(-curvature, -b @ b.T)) == 3
    b[2] = 0
    assert np.linalg.matrix_rank(solve_continuous_lyapunov(-curvature, -b @ b.T)) == 2
