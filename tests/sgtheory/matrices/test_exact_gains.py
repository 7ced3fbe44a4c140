"""Gains of which the discrete chain has exactly the posterior covariance A^-1 / N; nothing commutes."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings

from sgtheory.declare import N, S
from sgtheory.independent.fields import add, multiply, transpose
from sgtheory.independent.fields import inverse as inverted
from sgtheory.matrices import (
    I,
    commute,
    equation,
    evaluate,
    inverse,
    latex,
    matrices,
    matrix,
    prove_equal,
    solve_for,
    substitute,
)
from tests.sgtheory.matrices.recipes import values

A, C, H, P = matrices("A C H P", "positive_definite")
E, R, V = matrix("E"), matrix("R"), matrix("V", "symmetric")
eps, mu, gamma = sp.symbols("eps mu gamma", positive=True)
POSTERIOR = A**-1 / N


def one_step(gain, noise, covariance):
    """The covariance after theta <- theta - gain A theta + noise."""
    drift = I - gain * A
    return drift * covariance * drift.T + noise


# -- constant SGD ------------------------------------------------------------------------------


def test_sgd_is_solved_for_its_gain():
    law = equation(one_step(H, H * C * H / S, P), P)
    found = solve_for(substitute(law, {P: POSTERIOR}), H)
    assert found.equation == equation(H**-1, A / 2 + N * C / (2 * S))
    assert latex(found.equation) == r"H^{-1} = \frac{1}{2} A + \frac{N}{2 S} C"
    assert prove_equal(found.of_letter(), 2 * inverse(A + N / S * C))


@pytest.mark.parametrize(
    ("inverse_gain", "verdict"),
    [
        (A / 2 + N * C / (2 * S), "proved"),
        (N * C / (2 * S), "differs"),  # the best gain in continuous time
        (A / 2 + C / (2 * S), "differs"),
        (A + N * C / (2 * S), "differs"),
        (A / 2 + N * C / S, "differs"),
    ],
)
def test_the_posterior_stands_still_under_sgd(inverse_gain, verdict):
    gain = inverse(inverse_gain)
    assert prove_equal(one_step(gain, gain * C * gain / S, POSTERIOR), POSTERIOR).verdict == verdict
    known = [equation(H**-1, inverse_gain)]  # the same with the gain as a letter
    assert prove_equal(one_step(H, H * C * H / S, POSTERIOR), POSTERIOR, known).verdict == verdict


def test_a_scalar_step_does_not_do():
    """Not even where A and C commute."""
    after = one_step(eps * I, eps**2 * C / S, POSTERIOR)
    assert prove_equal(after, POSTERIOR, [commute(A, C)]).verdict == "differs"


@settings(max_examples=settings().max_examples // 2)
@given(point=values(sizes=(1, 3), commuting=False))
def test_sgd_in_plain_arithmetic(point):
    """The same claim without the engine: N = 7, S = 2."""
    a, c, n = point["A"], point["C"], len(point["A"])
    eye = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    half = [
        [v / 2 + Fraction(7, 4) * u for v, u in zip(r, s, strict=True)]
        for r, s in zip(a, c, strict=True)
    ]
    h = inverted(half)
    drift = add(eye, [[-v for v in r] for r in multiply(h, a)])
    noise = [[v / 2 for v in r] for r in multiply(multiply(h, c), h)]
    posterior = [[v / 7 for v in r] for r in inverted(a)]
    assert add(multiply(multiply(drift, posterior), transpose(drift)), noise) == posterior
    found = evaluate(one_step(H, H * C * H / S, POSTERIOR), {A: a, C: c, H: h}, {N: 7, S: 2})
    assert found == posterior


# -- momentum ----------------------------------------------------------------------------------


def momentum(position, cross, velocity):
    """The moments after v <- (1 - mu) v - H g, theta <- theta + v, minus what they were."""
    m = 1 - mu
    beside = m * cross - position * A * H  # E theta v^T with the new v
    new = (
        m**2 * velocity
        - m * (cross.T * A * H + H * A * cross)
        + H * A * position * A * H
        + H * C * H / S
    )
    return beside + beside.T + new, beside + new - cross, new - velocity


@pytest.mark.strong
def test_momentum_is_solved_for_its_gain():
    """If the position is at the posterior, the other moments and the gain are these."""
    moments = [equation(m, 0 * I) for m in momentum(POSTERIOR, R, V)]
    share = N * (2 - mu)
    assert prove_equal(V, 2 * H / share, moments)
    assert prove_equal(R, H / share, moments)
    assert not prove_equal(V, H / share, moments)
    law = substitute(moments[2], {V: 2 * H / share, R: H / share})
    assert solve_for(law, H).equation == equation(H**-1, A / (2 * (2 - mu)) + N * C / (2 * mu * S))


@pytest.mark.parametrize(
    ("inverse_gain", "verdict"),
    [
        (A / (2 * (2 - mu)) + N * C / (2 * mu * S), "proved"),
        (A / 2 + N * C / (2 * S), "differs"),  # that of plain SGD
        (N * C / (2 * mu * S), "differs"),  # that of continuous time
        (A / (2 * (2 + mu)) + N * C / (2 * mu * S), "differs"),
    ],
)
def test_the_posterior_stands_still_under_momentum(inverse_gain, verdict):
    share = N * (2 - mu)
    known = [equation(H**-1, inverse_gain)]
    for change in momentum(POSTERIOR, H / share, 2 * H / share):
        assert prove_equal(change, 0 * I, known).verdict == verdict


# -- injected noise ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inverse_gain", "verdict"),
    [
        (N / 2 * (eps * C / S + eps * A / N + E * E.T), "proved"),
        (N / 2 * (eps * C / S + E * E.T), "differs"),  # Theorem 5 of Mandt et al., in continuous time
        (N / 2 * (C / S + A / N + E * E.T), "differs"),
    ],
)
def test_the_posterior_stands_still_under_fisher_scoring(inverse_gain, verdict):
    """theta <- theta - eps H g + sqrt(eps) H E xi."""
    noise = eps**2 * H * C * H / S + eps * H * E * E.T * H
    after = one_step(eps * H, noise, POSTERIOR)
    assert prove_equal(after, POSTERIOR, [equation(H**-1, inverse_gain)]).verdict == verdict
    gain = inverse(inverse_gain)
    assert prove_equal(substitute(after, {H: gain}), POSTERIOR).verdict == verdict


def test_langevin_with_exact_gradients():
    """Brosse et al. 2018: theta <- theta - gamma A theta + sqrt(2 gamma) xi."""
    law = equation(one_step(gamma * I, 2 * gamma * I, P), P)
    found = inverse(A - gamma / 2 * A * A, declared=True)
    assert prove_equal(one_step(gamma * I, 2 * gamma * I, found), found)
    assert solve_for(law, P, [commute(A, P)], declared=True).value == found
    for wrong in (A**-1, inverse(A - gamma * A * A, declared=True)):
        assert prove_equal(one_step(gamma * I, 2 * gamma * I, wrong), wrong).verdict == "differs"
