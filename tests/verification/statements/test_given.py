"""What is given of letters of a sampler's problem is a condition on it: law and places obey it."""

import pytest

from sgtheory.declare import Parameter
from sgtheory.errors import DeclarationError
from verification.library import claims
from verification.notation import A, C, N, S, Sigma, eps, identity
from verification.statements import Assumption, Equal, claim, letters, sequences, size
from verification.statements.entry import given_words

HERE = {"at": "here", "title": "T", "says": "S.", "of": "sgd"}

# what is given, what is true of the process then, and a wrong twin
CASES = {
    "noise like curvature": (Equal(C, A), Sigma, eps / (2 * S) * identity, eps / S * identity),
    "curvature like noise": (Equal(A, C), Sigma, eps / (2 * S) * identity, eps / S * identity),
    "a step": (Equal(eps, S / N), A * Sigma + Sigma * A, C / N, 2 * C / N),
    "a size": (Equal(S, N), A * Sigma + Sigma * A, eps / N * C, eps * C),
    "one curvature": (Equal(A, identity), 2 * Sigma, eps / S * C, 2 * eps / S * C),
    "one eigenbasis": (Equal(A * C, C * A), 2 * A * Sigma, eps / S * C, 2 * eps / S * C),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_given_is_obeyed(name):
    given, left, right, wrong = CASES[name]
    assert claim("so", given=(given,), read=Equal(left, right), **HERE).find().verdict == "proved"
    refuted = claim("not_so", given=(given,), read=Equal(left, wrong), **HERE).find()
    assert refuted.verdict == "refuted"
    assert refuted.counterexample is not None


@pytest.mark.parametrize("name", ["noise like curvature", "a step", "one curvature", "one eigenbasis"])
def test_without_it_the_statement_is_not_so(name):
    _, left, right, _ = CASES[name]
    found = claim("alone", read=Equal(left, right), **HERE).find()
    assert found.verdict in ("refuted", "proved-if")


def test_what_no_proof_takes_refutes_nothing():
    """Other equations between letters of the problem only say at which places one looks."""
    given = (Equal(C, N * A),)
    true = claim("so", given=given, read=Equal(Sigma, N * eps / (2 * S) * identity), **HERE)
    assert true.find().counterexample is None


def test_matrices_of_the_problem_are_not_set():
    with pytest.raises(DeclarationError, match=r"given=\(Equal\(C, A\),\)"):
        claim("k", sets=((C, 0 * A),), read=Equal(Sigma, 0 * A), **HERE)


def test_noise_that_is_one_is_put_into_the_law():
    """Of a sampler with noise of its own, and in the algorithm's time to leading order."""
    noisy = Equal(A * Sigma + Sigma * A, (eps * N / (2 * S) + 2 / N) * identity)
    sgld = {**HERE, "of": "sgld", "given": (Equal(C, identity),)}
    assert claim("so", read=noisy, **sgld).find().verdict == "proved"
    assert claim("runs", read=noisy, time="discrete", **sgld).find("discrete").verdict == "limit-only"
    wrong = Equal(A * Sigma + Sigma * A, (eps * N / (2 * S) + 1 / N) * identity)
    assert claim("not_so", read=wrong, **sgld).find().verdict == "refuted"


def test_normal_forms_that_differ_refute_nothing_under_conditions():
    """Two routes once disagreed about this, which is true."""
    beta, eta, tau = (Parameter(n, positive=True) for n in ("beta", "eta", "tau"))
    given = (Equal(C, identity), Equal(beta, eta * N**2 / (2 * S)), Equal(tau, 1))
    one = {**HERE, "of": "sghmc", "given": given}
    assert claim("so", read=Equal(Sigma, (N * A) ** -1), **one).find().verdict in (
        "proved",
        "inconclusive",
    )


def test_what_is_given_of_a_letter_that_a_statement_has_not_is_obeyed():
    """m <= u <= M with h (m + M) <= 2: a gradient step contracts at all curvatures; M is given alone."""
    m, u, M, h = letters("m u M h")
    contracts = size(1 - h * u) <= 1 - m * h
    found = claim("a", at="", title="", read=contracts, given=(m <= u, u <= M, h * (m + M) <= 2)).find()
    assert found.verdict != "refuted"
    without = claim("b", at="", title="", read=contracts, given=(m <= u, u <= M)).find()
    assert without.verdict in ("refuted", "proved-if")


def test_an_equation_for_a_letter_by_itself_is_no_abbreviation():
    """s = (1 - h)^2 s + h has s = 1/(2 - h); putting the right side in once would refute that."""
    s, h = letters("s h")
    fixed = Equal(s, (1 - h) ** 2 * s + h)
    right = claim("a", at="", title="", read=Equal(s, 1 / (2 - h)), given=(fixed, h < 2)).find()
    assert right.verdict != "refuted"


def test_what_sequences_are_declared_to_be_is_given():
    """A reader sees it beside the hypotheses, and none of it twice."""
    (r,), (h,) = sequences("r", "bounded sequence"), sequences("h", "decreasing sequence")
    stated = claim("k", at="a", title="t", read=h[1] * r[1] <= h[1], given=(Assumption("it is so"),))
    assert given_words(stated) == [
        "it is so",
        "the h[t] are positive and decrease",
        "the r[t] are at most 1 in size",
    ]


def test_what_is_given_of_definitions_and_of_rows_of_noise_is_read_too():
    """Printed sides and rows have no letters of ours."""
    assert all(isinstance(given_words(one), list) for one in claims("li2016psgld"))
