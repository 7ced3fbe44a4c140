"""Whole arguments of Mandt et al. 2017: divergences minimised, gains solved for, traces of equations.

Where the paper assumes without saying so that matrices commute, or slips, the engine finds a witness.
"""

from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.declare import N, S
from sgtheory.language import D
from sgtheory.matrices import (
    I,
    all_commute,
    both_sides,
    commute,
    congruence,
    derivative,
    diagonal_part,
    equation,
    evaluate,
    from_sympy,
    gradient,
    inverse,
    logdet,
    matrices,
    matrix,
    prove_equal,
    quadratic_sign,
    root,
    second_differential,
    solve_for,
    substitute,
    tr,
    trace_of,
    under,
)
from sgtheory.modepairs import matrixform

A, C, H, Sigma = matrices("A C H Sigma", "positive_definite")
dH = matrix("dH", "symmetric")
eps, mu = sp.symbols("eps mu", positive=True)
E = matrix("E")


def divergence(covariance, given=()):
    """KL of N(0, covariance) to N(0, A^-1 / N)."""
    covariance = under(covariance, given)
    return (N * tr(A * covariance) - logdet(N * A * covariance) - D) / 2


# -- the best scalar step ----------------------------------------------------------------------


def test_the_best_step_where_A_and_C_commute():
    given = [commute(A, C)]
    covariance = under(eps / (2 * S) * C * A**-1, given)
    law = equation(A * Sigma + Sigma * A, eps / S * C)
    assert prove_equal(substitute(law, {Sigma: covariance}, given), given=given)
    assert not prove_equal(substitute(law, {Sigma: 2 * covariance}, given), given=given)

    slope = derivative(divergence(covariance, given), eps)
    assert prove_equal(slope, N / (4 * S) * tr(C) - D / (2 * eps), given)
    best = 2 * S * D / (N * tr(C))
    assert prove_equal(slope.subs(eps, best), 0)
    assert prove_equal(slope.subs(eps, best / 2), 0).verdict == "differs"
    curvature = derivative(slope, eps)
    assert prove_equal(curvature, D / (2 * eps**2))
    assert curvature.is_positive


def test_the_best_step():
    """Theorem 1. Sigma = eps Sigma0 / S, where Sigma0 knows nothing of eps: no commuting is needed."""
    zero = matrix("Sigma0", "positive_definite")
    law = equation(A * zero + zero * A, C)
    slope = derivative(divergence(eps / S * zero), eps)
    assert prove_equal(slope, N / (4 * S) * tr(C) - D / (2 * eps), [law])
    assert prove_equal(slope, N / (4 * S) * tr(C) - D / (2 * eps)).verdict == "differs"
    best = 2 * S * D / (N * tr(C))
    assert prove_equal(slope.subs(eps, best), 0, [law])
    assert prove_equal(slope.subs(eps, best / 2), 0, [law]).verdict == "differs"
    assert derivative(slope, eps).is_positive


def test_the_trace_in_the_best_step_needs_no_commuting():
    """tr(A Sigma) = eps tr(C) / (2 S) for every A and C: only log det Sigma knows more."""
    law = equation(A * Sigma + Sigma * A, eps / S * C)
    assert trace_of(law).right == eps * tr(C) / S
    assert prove_equal(tr(A * Sigma), eps / (2 * S) * tr(C), [law])
    assert prove_equal(tr(A * Sigma), eps / S * tr(C), [law]).verdict == "differs"
    assert prove_equal(tr(Sigma), eps / (2 * S) * tr(C * A**-1), [law])
    assert prove_equal(tr(Sigma * A * A), eps / (2 * S) * tr(C * A), [law])
    assert prove_equal(tr(Sigma * A * C), eps / (2 * S) * tr(C * C), [law])
    assert not prove_equal(tr(Sigma * C), eps / (2 * S) * tr(C * C * A**-1), [law])


# -- the best full gain ------------------------------------------------------------------------


def test_the_best_full_gain_in_continuous_time():
    """H A Sigma + Sigma A H = eps H C H / S at Sigma = A^-1 / N: H = 2 S / (N eps) C^-1."""
    law = equation(H * A * Sigma + Sigma * A * H, eps / S * H * C * H)
    at_posterior = substitute(law, {Sigma: A**-1 / N})
    found = solve_for(at_posterior, H)
    assert found.equation == equation(H**-1, N * eps / (2 * S) * C)
    gain = found.of_letter()
    assert gain == 2 * S / (N * eps) * C**-1
    assert prove_equal(substitute(law, {H: gain, Sigma: A**-1 / N}))
    for wrong in (S / (N * eps) * C**-1, 2 * S / (N * eps) * C):
        assert prove_equal(substitute(law, {H: wrong, Sigma: A**-1 / N})).verdict == "differs"


def test_the_best_full_gain_minimises_the_divergence():
    given = all_commute(A, C, H)
    covariance = under(eps / (2 * S) * H * C * A**-1, given)
    f = divergence(covariance, given)
    assert prove_equal(f, (N * eps / (2 * S) * tr(H * C) - logdet(N * eps / (2 * S) * H * C) - D) / 2)
    g = gradient(f, H)
    assert g.convention == "symmetric"
    stationary = solve_for(equation(g.value, 0), H)
    assert stationary.of_letter() == 2 * S / (N * eps) * C**-1
    assert quadratic_sign(second_differential(f, H, dH), dH).name == "DEFINITE"
    assert quadratic_sign(second_differential(-f, H, dH), dH).name == "UNKNOWN"


def test_the_best_full_gain_gives_the_posterior():
    """Theorem 2 and Corollary 4, without commuting: the divergence is nowhere negative, and here 0."""
    X = matrix("X", "positive_definite")  # for N A Sigma up to congruence
    dX = matrix("dX", "symmetric")
    f = (tr(X) - logdet(X) - D) / 2
    assert solve_for(equation(gradient(f, X).value, 0), X).of_letter() == I
    assert substitute(f, {X: I}) == 0
    assert quadratic_sign(second_differential(f, X, dX), dX).name == "DEFINITE"
    root_of_A = root(A)
    assert prove_equal(divergence(Sigma), substitute(f, {X: N * root_of_A * Sigma * root_of_A}))
    assert divergence(A**-1 / N) == 0
    assert prove_equal(divergence(2 * A**-1 / N), 0).verdict == "differs"


@pytest.mark.strong
def test_a_step_of_the_second_theorem_needs_commuting():
    """ "Q = Sigma H^-1 is independent of H": false unless A, C and H commute."""
    K, T = matrices("K T", "positive_definite")
    laws = [
        equation(H * A * Sigma + Sigma * A * H, H * C * H / S),
        equation(K * A * T + T * A * K, K * C * K / S),
    ]
    assert prove_equal(tr(A * Sigma), tr(C * H) / (2 * S), laws)  # Eq. 19 is right
    assert prove_equal(Sigma * H**-1, T * K**-1, laws).verdict == "differs"
    volume = logdet(Sigma) - logdet(H), logdet(T) - logdet(K)
    assert prove_equal(*volume, laws).verdict == "differs"


def test_the_best_diagonal_gain():
    h = matrix("h", "diagonal", "positive_definite")
    f = (N * eps / (2 * S) * tr(h * C) - logdet(h)) / 2
    found = gradient(f, h)
    assert found.convention == "diagonal"
    solved = solve_for(equation(found.value, 0), h)
    assert solved.equation == equation(h**-1, N * eps / (2 * S) * diagonal_part(C))
    assert prove_equal(substitute(found.value, {h: solved.of_letter()}), 0 * I)
    full = evaluate(found.plain, {h: [[1, 0], [0, 1]], C: [[2, 1], [1, 3]]}, {eps: 1, N: 1, S: 1})
    assert full[0][1] == Fraction(1, 4)  # the plain gradient is not diagonal, and need not vanish


def test_the_same_equation_by_congruence():
    """With Sigma = H^(1/2) Y H^(1/2) and K = H^(1/2) A H^(1/2), the law is that of a scalar gain."""
    Y = matrix("Y", "positive_definite")
    law = equation(H * A * Sigma + Sigma * A * H, H * C * H / S)
    moved = congruence(law, Sigma, Y, H)
    h = root(H)
    inner = both_sides(moved, h**-1, h**-1)
    K, Q = h * A * h, h * C * h
    assert prove_equal(inner.left, K * Y + Y * K)
    assert prove_equal(inner.right, Q / S)
    assert prove_equal(inner.left, A * Y + Y * A).verdict == "differs"
    assert prove_equal(tr(K * Y), tr(Q) / (2 * S), [inner])


# -- momentum ----------------------------------------------------------------------------------


@pytest.mark.strong
def test_momentum():
    """Appendix D: the moment equations 42 to 45 without V = E v v^T and xi = E theta v^T."""
    V, xi = matrix("V", "positive_definite"), matrix("xi")
    moments = [
        equation(xi + xi.T, 0 * I),
        equation(V - mu * xi - eps * Sigma * A, 0 * I),
        equation(2 * mu * V + eps * (A * xi + xi.T * A), eps**2 / S * C),
    ]
    energy = A * Sigma + Sigma * A
    assert prove_equal(V, eps / 2 * energy, moments)  # Eq. 24, the first half
    assert prove_equal(V, eps * energy, moments).verdict == "differs"
    shear = eps / (2 * mu) * (A * A * Sigma - 2 * A * Sigma * A + Sigma * A * A)
    assert prove_equal(mu * energy + shear, eps / S * C, moments)
    # The second half of Eq. 24 and Eq. 25 need A and Sigma to commute: A xi + xi^T A is not 0.
    assert prove_equal(energy, eps / (mu * S) * C, moments).verdict == "differs"
    assert prove_equal(A * xi + xi.T * A, 0 * I, moments).verdict == "differs"
    assert prove_equal(energy, eps / (mu * S) * C, [*moments, commute(A, Sigma)])
    # The trace that the divergence needs is right all the same.
    assert prove_equal(tr(A * Sigma), eps / (2 * mu * S) * tr(C), moments)
    assert prove_equal(tr(A * Sigma), eps / (2 * S) * tr(C), moments).verdict == "differs"


# -- injected noise ----------------------------------------------------------------------------


def test_langevin_dynamics_with_a_constant_step():
    """Drift eps N / 2 g, so that the gradient noise is eps N / 2 B; the paper writes eps N B."""
    law = equation(eps * N / 2 * (A * Sigma + Sigma * A), eps * I + eps**2 * N**2 / (4 * S) * C)
    excess = N * tr(A * Sigma) - D
    assert prove_equal(excess, eps * N**2 / (4 * S) * tr(C), [law])
    assert prove_equal(excess, eps * N**2 / (2 * S) * tr(C), [law]).verdict == "differs"
    assert (eps * N**2 / (4 * S) * tr(C)).is_positive  # the posterior is overestimated


def noise_of_fisher_scoring():
    return eps / S * C + E * E.T


@pytest.mark.strong
def test_fisher_scoring():
    """Theorem 5: H = (2/N) (eps C / S + E E^T)^-1 has the posterior for its stationary law."""
    noise = noise_of_fisher_scoring()
    law = equation(H * A * Sigma + Sigma * A * H, H * noise * H)
    assert prove_equal(tr(A * Sigma), tr(H * noise) / 2, [law])
    assert prove_equal(tr(A * Sigma), tr(noise) / 2, [law]).verdict == "differs"
    at_posterior = substitute(law, {Sigma: A**-1 / N})
    gain = solve_for(at_posterior, H).of_letter()
    assert prove_equal(gain, 2 / N * inverse(noise))
    assert prove_equal(substitute(at_posterior, {H: gain}))
    for wrong in (
        inverse(noise) / N,
        2 / N * inverse(C / S + E * E.T),
        2 / N * inverse(eps / S * C + I),
    ):
        assert prove_equal(substitute(at_posterior, {H: wrong})).verdict == "differs"


def test_the_divergence_of_fisher_scoring():
    """Eq. 46 is convex in H; the same with the signs of the main text has no minimum."""
    noise = noise_of_fisher_scoring()
    f = N / 4 * tr(H * noise) - logdet(H) / 2
    found = solve_for(equation(gradient(f, H).value, 0), H)
    assert prove_equal(found.of_letter(), 2 / N * inverse(noise))
    assert quadratic_sign(second_differential(f, H, dH), dH).name == "DEFINITE"
    misprint = -N / 4 * tr(H * noise) + logdet(H) / 2
    assert quadratic_sign(second_differential(misprint, H, dH), dH).name == "UNKNOWN"
    assert quadratic_sign(second_differential(-misprint, H, dH), dH).name == "DEFINITE"


def test_diagonal_and_scalar_gains_of_fisher_scoring():
    """Corollary 6."""
    noise = noise_of_fisher_scoring()
    h, step = matrix("h", "diagonal", "positive_definite"), sp.Symbol("h", positive=True)
    f = N / 4 * tr(h * noise) - logdet(h) / 2
    diagonal = solve_for(equation(gradient(f, h).value, 0), h).equation
    assert diagonal == equation(h**-1, N / 2 * diagonal_part(noise))
    slope = derivative(substitute(f, {h: step * I}), step)
    best = 2 * D / (N * tr(noise))
    assert prove_equal(slope.subs(step, best), 0)
    assert prove_equal(slope.subs(step, best / D), 0).verdict == "differs"


# -- averages, other divergences, other gains --------------------------------------------------


@pytest.mark.parametrize("gain", [eps * I, H])
def test_averages_forget_the_gain(gain):
    """Eqs. 30 and 31, with T steps: the same covariance for a step, and for every gain."""
    T = sp.Symbol("T", positive=True)
    drift = gain * A
    law = equation(drift * Sigma + Sigma * drift.T, gain * C * gain / S)
    average = (Sigma * inverse(drift.T) + inverse(drift) * Sigma) / T
    assert prove_equal(average, A**-1 * C * A**-1 / (T * S), [law])
    assert prove_equal(average, A**-1 * gain * C * gain * A**-1 / (T * S), [law]).verdict == "differs"
    with_fisher = equation(A * Sigma + Sigma * A, eps / S * A)  # Assumption 5
    assert prove_equal(substitute(with_fisher, {Sigma: eps / (2 * S) * I}))  # Eq. 32
    assert prove_equal(substitute(with_fisher, {Sigma: eps / S * I})).verdict == "differs"


def test_the_reverse_divergence_needs_commuting():
    """Appendix C: tr(A^-1 Sigma^-1) = (2 S / eps) tr(C^-1), and the step that follows."""
    law = equation(A * Sigma + Sigma * A, eps / S * C)
    claim = tr(A**-1 * Sigma**-1), 2 * S / eps * tr(C**-1)
    assert prove_equal(*claim, [law, commute(A, Sigma)])
    assert prove_equal(*claim, [law]).verdict == "differs"
    f = claim[1] / (2 * N) + D * sp.log(eps) / 2
    best = 2 * S / (N * D) * tr(C**-1)
    assert prove_equal(derivative(f, eps).subs(eps, best), 0)
    assert prove_equal(derivative(f, eps).subs(eps, D * best), 0).verdict == "differs"


def test_square_root_gain():
    """Theorem 7: the best step with a diagonal gain G^-1, from the trace that the law gives."""
    G = matrix("G", "diagonal", "positive_definite")
    zero = matrix("Sigma0", "positive_definite")
    law = equation(G**-1 * A * zero + zero * A * G**-1, G**-1 * C * G**-1)
    slope = derivative(divergence(eps / S * zero), eps)
    best = 2 * D * S / (N * tr(C * G**-1))
    assert prove_equal(slope.subs(eps, best), 0, [law])
    assert prove_equal(slope.subs(eps, 2 * D * S / (N * tr(C))), 0, [law]).verdict == "differs"


# -- laws as this project writes them ----------------------------------------------------------


def test_a_law_in_sympy_symbols_is_read_and_solved():
    a, c, sigma = matrixform.A, matrixform.C, matrixform.SIGMA
    written = matrixform.MatrixEquation(a * sigma + sigma * a - eps * a * sigma * a, eps / S * c)
    law = from_sympy(written, [A, C, Sigma])
    assert law.right == eps / S * C
    assert prove_equal(law.left, A * Sigma + Sigma * A - eps * A * Sigma * A)
    assert prove_equal(law.left, A * Sigma + Sigma * A + eps * A * Sigma * A).verdict == "differs"
    given = [commute(A, C), commute(A, Sigma)]
    inverted = solve_for(law, Sigma, given)  # 2 A - eps A^2 is not certain to be invertible
    assert inverted.equation == equation(Sigma**-1, S / eps * (2 * A - eps * A * A) * C**-1)
    solved = solve_for(law, Sigma, given, declared=True)
    assert solved.power == 1
    assert prove_equal(solved.value, eps / S * inverse(2 * A - eps * A * A, declared=True) * C, given)
    assert substitute(law, {Sigma: A**-1 / N}).left == 2 * I / N - eps * A / N


@pytest.mark.parametrize("factor", [1, 2])
def test_equipartition(factor):
    """With C = A every direction has the same variance, eps / (2 S)."""
    law = equation(A * Sigma + Sigma * A, eps / S * A)
    claim = prove_equal(tr(Sigma), factor * eps * D / (2 * S), [law])
    assert bool(claim) == (factor == 1)
