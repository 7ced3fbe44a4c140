"""Sections 5.1, 5.2 and Appendix E of Mandt et al.: corrections by routes of the test's own."""

from functools import cache

import numpy as np
import pytest

from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from tests.verification.papers.matrices import dense
from verification.library import claims

CLAIMS = {c.key: c for c in claims("mandt2017")}


@cache
def found(key, time=None):
    return CLAIMS[key].find(time)


def divergence(K, C, E, H, eps, N, S):
    """Of the discrete algorithm: a Stein solve of our own, and the formula for normal laws."""
    d = len(K)
    M = np.eye(d) - eps * H @ K
    Q = eps**2 / S * H @ C @ H + eps * H @ E @ E.T @ H
    P = np.linalg.solve(np.eye(d * d) - np.kron(M, M), Q.ravel()).reshape(d, d)
    ratio = N * K @ P
    return (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - d) / 2


def test_the_gain_of_eq_27_needs_the_curvature_to_be_exact_at_finite_steps():
    assert found("sec5_2.zero_divergence", "discrete").corrected.text == (
        "H = 2*(EE^T + eps*C + eps*A/N)**(-1)/N"
    )
    (K, C), E = dense(4, 2), np.random.default_rng(5).standard_normal((4, 4))
    eps, N = 0.3, 30.0
    printed = 2 / N * np.linalg.inv(eps * C + E @ E.T)
    exact = 2 / N * np.linalg.inv(eps * C + E @ E.T + eps * K / N)
    assert abs(divergence(K, C, E, exact, eps, N, 1)) < 1e-12
    assert divergence(K, C, E, printed, eps, N, 1) > 1e-6


def test_the_gain_that_ahn_et_al_print_is_exact_in_the_well_specified_model():
    """With n + N for N in the Fisher information's factor, and noise equal to curvature."""
    K, _ = dense(3, 7)
    E = np.random.default_rng(8).standard_normal((3, 3))
    eps, N, S = 0.2, 25.0, 4.0
    theirs = 2 / N * np.linalg.inv(eps * (1 + S / N) / S * K + E @ E.T)
    assert abs(divergence(K, K, E, theirs, eps, N, S)) < 1e-12


def test_one_noise_for_two_changes_the_law():
    assert found("thm5.process").corrected.text.endswith("eps*H*B*dW + sqrt(eps)*H*E*dV")
    B, E = np.random.default_rng(9).standard_normal((2, 3, 3))
    eps = 0.4
    one = (eps * B + np.sqrt(eps) * E) @ (eps * B + np.sqrt(eps) * E).T
    two = eps**2 * B @ B.T + eps * E @ E.T
    cross = eps**1.5 * (B @ E.T + E @ B.T)
    assert np.allclose(one - two, cross)
    assert np.abs(cross).max() > 0.1


def test_noise_of_the_printed_langevin_process_is_twice_that_of_the_update():
    text = found("sec5_1.process").corrected.text
    assert text == "d theta = -eps*N*A*theta*dt/2 + sqrt(eps)*dV + eps*N*B*dW/(2*sqrt(S))"
    problem = Problem.of({"hessian": [[2]], "noise": [[3]], "N": 10, "S": 5, "params": {"eps": 1e-6}})
    step = law("sgld", problem, at=1).covariance["theta", "theta"][0, 0]
    assert step == pytest.approx(1e-6 + (1e-6 * 10 / 2) ** 2 * 3 / 5, rel=1e-12)


def test_the_diagonal_of_the_full_gain_is_never_below_the_diagonal_gain():
    assert found("sec5_2.largest_step").verdict == "refuted"
    for seed in range(5):
        _, X = dense(4, seed)
        assert (np.diag(np.linalg.inv(X)) >= 1 / np.diag(X)).all()


@pytest.mark.strong
def test_the_injected_variance_exists_up_to_a_bound_on_the_step():
    assert found("sec5_2.variance_exists").condition == "BB_kk*N*eps*h_max <= 2"


@pytest.mark.strong
def test_t_depends_on_the_gain_unless_all_noise_is_a_multiple_of_the_curvature():
    condition = found("appE.t_independent_of_h").condition
    assert condition == "E E^T + eps*B B^T/S is a multiple of A"


def test_kurtosis_of_a_sum_with_normal_noise():
    assert found("sec5_2.more_normal.kurtosis").verdict == "proved"
    values, weights = np.array([-3.0, 0.0, 1.5]), np.array([0.2, 0.4, 0.4])
    mean = weights @ values
    m2, m4 = (weights @ (values - mean) ** k for k in (2, 4))
    added = 0.7
    # a normal variable by Gauss-Hermite nodes, exact for polynomials of this degree
    nodes, hermite = np.polynomial.hermite_e.hermegauss(6)
    hermite = hermite / hermite.sum()
    total = (values - mean)[:, None] + np.sqrt(added) * nodes[None, :]
    joint = weights[:, None] * hermite[None, :]
    excess = (joint * total**4).sum() / (joint * total**2).sum() ** 2 - 3
    assert excess == pytest.approx((m4 / m2**2 - 3) * (m2 / (m2 + added)) ** 2, rel=1e-12)
