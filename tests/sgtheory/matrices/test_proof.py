"""Equalities that need the definition of an inverse, hypotheses or traces; each with a false twin."""

import pytest
import sympy as sp

from sgtheory.independent.fields import multiply
from sgtheory.matrices import (
    ZERO,
    D,
    I,
    commute,
    diagonal_part,
    equation,
    evaluate,
    inverse,
    letter_of,
    logdet,
    matrices,
    matrix,
    prove_equal,
    root,
    tr,
    trace_of,
)

A, C, H, Sigma = matrices("A C H Sigma", "positive_definite")
B, K, d = matrix("B"), matrix("K"), matrix("d", "diagonal", "invertible")
eps, mu, N, S = sp.symbols("eps mu N S", positive=True)
X, Y = inverse(A + C), inverse(A + 2 * C)
WOODBURY = inverse(C**-1 + B.T * A**-1 * B)
LEFT, RIGHT = inverse(I + A * B, declared=True), inverse(I + B * A, declared=True)
LYAPUNOV = equation(A * Sigma + Sigma * A, C)

MATRICES = {
    "parallel sum": (A * X * C, inverse(A**-1 + C**-1), inverse(A**-1 + 2 * C**-1)),
    "parallel sum commutes": (A * X * C, C * X * A, A * X * A),
    "first resolvent identity": (X - Y, X * C * Y, X * A * Y),
    "resolvents the other way": (X - Y, Y * C * X, -(Y * C * X)),
    "push-through": (LEFT * A, A * RIGHT, A * LEFT),
    "push-through into one": (LEFT, I - A * RIGHT * B, I - B * RIGHT * A),
    "Woodbury": (
        inverse(A + B * C * B.T),
        A**-1 - A**-1 * B * WOODBURY * B.T * A**-1,
        A**-1 + A**-1 * B * WOODBURY * B.T * A**-1,
    ),
    # the inverse of A + X^-1 is X (A X + 1)^-1, where X = A + C
    "nested": (inverse(A + X), (A + C) * inverse(A * (A + C) + 1, declared=True), X),
    "congruence by a root": (
        inverse(H + root(H) * A * root(H)),
        root(H) ** -1 * inverse(I + A) * root(H) ** -1,
        root(H) ** -1 * inverse(2 * I + A) * root(H) ** -1,
    ),
    "parameters": (
        inverse(I + eps * A) * inverse(I + mu * A),
        (mu * inverse(I + mu * A) - eps * inverse(I + eps * A)) / (mu - eps),
        (eps * inverse(I + mu * A) - mu * inverse(I + eps * A)) / (mu - eps),
    ),
}


@pytest.mark.parametrize("name", MATRICES)
def test_identities_of_inverses(name):
    left, right, twin = MATRICES[name]
    assert prove_equal(left, right)
    wrong = prove_equal(left, twin)
    assert wrong.verdict == "differs"
    assert wrong.witness.left != wrong.witness.right


TRACES = {
    "cyclic": (tr(A * B * C), tr(B * C * A), tr(B * A * C)),
    "transposed": (tr(A * B * C), tr(C * B.T * A), tr(A * B.T * C)),
    "linear": (tr((A + eps) * C), tr(A * C) + eps * tr(C), tr(A * C) + eps),
    "identity": (tr(I), D, 1),
    "resolvent": (tr(A * X) + tr(X * C), D, 2 * D),
    "two inverses": (tr(A * X * C), tr(inverse(A**-1 + C**-1)), tr(inverse(A**-1 + C))),
    "squared lengths": (tr(B * B.T), tr(B.T * B), tr(B * B)),
    "diagonal parts": (tr(diagonal_part(B) * K), tr(B * diagonal_part(K)), tr(B * K)),
    "diagonal letters": (tr(diagonal_part(B) * d), tr(B * d), tr(B)),
    "ratios": (tr(A * C) / tr(C) - 1, (tr(C * A) - tr(C)) / tr(C), tr(A) - 1),
    "determinant of a product": (logdet(A * C), logdet(A) + logdet(C), logdet(A) - logdet(C)),
    "determinant of an inverse": (logdet(inverse(A + C)), -logdet(A + C), logdet(A + C)),
    "determinant scaled": (
        logdet(eps * A / 6),
        logdet(A) + D * sp.log(eps / 6),
        logdet(A) + sp.log(eps / 6),
    ),
    "determinant of a sum": (
        logdet(A * A + C * A),
        logdet(A) + logdet(A + C),
        2 * logdet(A) + logdet(C),
    ),
    "Sylvester": (logdet(I + A * C, declared=True), logdet(I + C * A, declared=True), logdet(I + A + C)),
    "stepping out": (
        logdet(A**-1 + C**-1),
        logdet(A + C) - logdet(A) - logdet(C),
        logdet(A + C) + logdet(A) + logdet(C),
    ),
    "roots": (logdet(root(H)), logdet(H) / 2, logdet(H)),
    "congruences": (logdet(H * A * H), 2 * logdet(H) + logdet(A), logdet(H) + logdet(A)),
}


@pytest.mark.parametrize("name", TRACES)
def test_scalars(name):
    left, right, twin = TRACES[name]
    assert prove_equal(left, right)
    assert prove_equal(left, twin).verdict == "differs"


def test_a_witness_can_be_checked_by_hand():
    found = prove_equal(A * C, C * A).witness
    a, c = found.letters["A"], found.letters["C"]
    assert found.size == 2  # numbers commute
    assert multiply(a, c) == found.left != found.right == multiply(c, a)
    assert "against" in repr(found)


def test_what_is_false_only_in_large_dimensions_is_found_there():
    """Every matrix of size 1 is symmetric; the smallest size that differs is reported."""
    assert prove_equal(B, B.T).witness.size == 2
    assert prove_equal(tr(A) ** 2, tr(A * A)).witness.size == 2
    assert prove_equal(tr(A), A.terms[0][1]).witness.size >= 1


def test_traces_of_an_equation():
    assert prove_equal(tr(A * Sigma), tr(C) / 2, [LYAPUNOV])
    assert prove_equal(tr(Sigma), tr(A**-1 * C) / 2, [LYAPUNOV])
    assert prove_equal(tr(A * Sigma), tr(C) / 2, [trace_of(LYAPUNOV)])
    wrong = prove_equal(tr(A * Sigma), tr(C), [LYAPUNOV])
    assert wrong.verdict == "differs"  # with a Sigma that solves the equation
    a, s = wrong.witness.letters["A"], wrong.witness.letters["Sigma"]
    assert evaluate(LYAPUNOV.left, {A: a, Sigma: s}) == wrong.witness.letters["C"]
    assert prove_equal(tr(A * Sigma), tr(C) / 2).verdict == "differs"  # without the hypothesis


@pytest.mark.parametrize(
    ("left", "right", "wrong", "commuting"),
    [
        (tr(Sigma * A**3), tr(C * A**2) / 2, tr(C * A**2), False),
        (tr(A * Sigma * A * Sigma) + tr(A**2 * Sigma**2), tr(C * A * Sigma), tr(C * A), False),
        (tr(Sigma * C), tr(A**-1 * C**2) / 2, tr(A**-1 * C) / 2, True),
        (tr(Sigma * C * A), tr(C**2) / 2, tr(C**2) / 3, False),
    ],
)
def test_traces_of_products_with_an_equation(left, right, wrong, commuting):
    given = [LYAPUNOV, commute(A, C)] if commuting else [LYAPUNOV]
    assert prove_equal(left, right, given)
    assert prove_equal(left, wrong, given).verdict == "differs"
    assert commuting != bool(prove_equal(left, right, [LYAPUNOV]))


@pytest.mark.strong
def test_a_scalar_that_needs_more_than_algebra_is_not_shown():
    given = [LYAPUNOV, commute(A, C)]
    assert prove_equal(tr(Sigma * Sigma), tr(A**-2 * C**2) / 4, given).verdict == "not shown"


def test_equations_are_used_inside_words():
    assert prove_equal(A * Sigma * A, C * A - Sigma * A * A, [LYAPUNOV])
    assert prove_equal(A * Sigma * A, C * A - A * Sigma * A * A, [LYAPUNOV]).verdict == "differs"
    square = equation(B * B, I)
    assert prove_equal(B**5, B, [square])
    assert prove_equal(B**4, B, [square]).verdict != "proved"


def test_what_needs_more_than_algebra_is_not_shown():
    """A C^-1 / 2 solves the equation where A and C commute; that it is the only solution is analysis."""
    given = [LYAPUNOV, commute(A, C)]
    assert prove_equal(A * (A**-1 * C / 2) + (A**-1 * C / 2) * A, C, given)
    candidate = prove_equal(Sigma, A**-1 * C / 2, given)
    assert candidate.verdict == "not shown"
    assert not candidate
    assert candidate.difference != ZERO
    assert prove_equal(Sigma, A**-1 * C / 2, [*given, commute(A, Sigma)])


def test_one_equation_stands_for_its_sides():
    assert prove_equal(equation(A * inverse(A), I))
    assert not prove_equal(equation(A * C, I))


def test_what_the_hypotheses_were_divided_by_is_said():
    free = sp.Symbol("free")
    said = equation((free - 7) * K, (free - 7) * B)
    assert prove_equal(K, B, [said]).verdict == "proved"
    assert prove_equal(K, B, [said]).nonzero == (free - 7,)
    assert prove_equal(tr(K), tr(B), [equation(free * tr(K), free * tr(B))]).nonzero == (free,)
    assert prove_equal(K, B, [equation(eps * K, eps * B)]).nonzero == ()  # eps is positive
    assert prove_equal(inverse(A + free * C, declared=True) * (A + free * C), I).nonzero == ()
    # A trace is no parameter: there are matrices at which it is zero.
    assert prove_equal(K, ZERO, [equation(tr(B) * K, 0 * I)]).verdict == "differs"


def test_witnesses_obey_several_equations():
    given = [equation(A * B + B * A, K), equation(Sigma, A + K * K.T), equation(tr(C), tr(A))]
    found = prove_equal(B, B.T, given)
    at = {x: found.witness.letters[letter_of(x).name] for x in (A, B, C, K, Sigma)}
    assert found.verdict == "differs"
    assert all(evaluate(e.left, at) == evaluate(e.right, at) for e in given)
    gain = equation(H**-1, A / 2 + C)  # solved for the inverse of a letter
    found = prove_equal(H, C**-1, [gain]).witness
    at = {A: found.letters["A"], C: found.letters["C"], H: found.letters["H"]}
    assert evaluate(gain.left, at) == evaluate(gain.right, at)


def test_letters_inside_the_scalars_of_inverted_sums():
    X = inverse(A + tr(H * C * H) * C)
    assert prove_equal(X, inverse(A + tr(C * H * H) * C))
    assert prove_equal(X, inverse(A + tr(H * C * H) * I)).verdict == "differs"
