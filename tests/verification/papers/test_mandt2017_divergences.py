"""Divergences of Mandt et al.: what is wrong with them, by routes of the test's own."""

from functools import cache

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov, sqrtm

from verification.library import all_claims

CLAIMS = {c.id.removeprefix("mandt2017."): c for c in all_claims() if c.paper == "mandt2017"}


@cache
def found(key):
    return CLAIMS[key].find()


def law(A, C, H, S=1.0):
    """H A X + X A H = H C H/S, by coordinates in which the gain is one."""
    root = sqrtm(H).real
    inner = solve_continuous_lyapunov(-root @ A @ root, -root @ C @ root / S)
    return root @ inner @ root


def divergence(A, X, N):
    ratio = N * A @ X
    return (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(A)) / 2


def dense(seed, d=3):
    g, h, k = np.random.default_rng(seed).standard_normal((3, d, d))
    return (m @ m.T + np.eye(d) / 2 for m in (g, h, k))


def logdet(m):
    return np.linalg.slogdet(m)[1]


@pytest.mark.parametrize("seed", [1, 2])
def test_eq16_is_twice_the_divergence(seed):
    assert found("eq16").corrected.text == (
        "KL(Sigma, q, A**(-1)/N, f) =c= eps*N*tr(C)/(4*S) - D*log(eps/S)/2"
    )
    A, C, _ = dense(seed)
    N, S, d = 40.0, 4.0, 3

    def rest(eps, share):
        value = share * (eps * N / (2 * S) * np.trace(C) - d * np.log(eps / S))
        return divergence(A, law(A, C, eps * np.eye(d), S), N) - value

    assert rest(0.3, 0.5) == pytest.approx(rest(0.1, 0.5), abs=1e-9)
    assert abs(rest(0.3, 1) - rest(0.1, 1)) > 0.01


@pytest.mark.strong
@pytest.mark.parametrize("seed", [3, 4])
def test_eq20_corrected_in_random_matrices(seed):
    assert found("eq20").corrected.text == (
        "KL(Sigma, q, A**(-1)/N, f) =c= N*tr(C*H)/(4*S) - log(det(H))/2 - log(det(Q))/2"
    )
    A, C, H = dense(seed)
    _, _, other = dense(seed + 10)
    N, S = 40.0, 4.0

    def rest(gain, printed):
        X = law(A, C, gain, S)
        Q = X @ np.linalg.inv(gain)
        if printed:
            value = N / (2 * S) * np.trace(C @ gain) + logdet(gain) + logdet(Q)
        else:
            value = N / (4 * S) * np.trace(C @ gain) - logdet(gain) / 2 - logdet(Q) / 2
        return divergence(A, X, N) - value

    assert rest(H, False) == pytest.approx(rest(other, False), abs=1e-8)
    assert abs(rest(H, True) - rest(other, True)) > 0.1


def test_q_moves_with_the_gain():
    finding = found("thm2.q_independent_of_h")
    assert finding.condition == "A is a multiple of B B^T"
    A, C, H = dense(5)
    Q = [law(A, C, gain) @ np.linalg.inv(gain) for gain in (H, np.eye(3))]
    assert abs(Q[0] - Q[1]).max() > 1e-2
    commuting = [A, A @ A + np.eye(3), A @ A @ A + A]
    Q = [law(*commuting[:2], gain) @ np.linalg.inv(gain) for gain in (commuting[2], np.eye(3))]
    assert abs(Q[0] - Q[1]).max() < 1e-8


def test_theorem_2_survives_because_the_posterior_is_reached():
    """Though Q moves with the gain, its determinant is stationary at the gain of Theorem 2."""
    A, C, _ = dense(6)
    N, S = 40.0, 4.0
    best = 2 * S / N * np.linalg.inv(C)
    direction = np.array([[1.0, 2, 0], [2, -1, 1], [0, 1, 3]]) * best[0, 0] * 1e-4

    def entropy(gain):
        return logdet(law(A, C, gain, S)) - logdet(gain)

    slope = (entropy(best + direction) - entropy(best - direction)) / 2e-4
    elsewhere = np.diag([1.0, 2, 3]) * best[0, 0]
    slope_there = (entropy(elsewhere + direction) - entropy(elsewhere - direction)) / 2e-4
    assert abs(slope) < 1e-6 < 1e-3 < abs(slope_there)


@pytest.mark.strong
def test_the_equation_of_q_is_transposed():
    assert found("thm2.equation_of_q").corrected.text == "A*Q + transpose(Q)*A = C/S"
    A, C, H = dense(7)
    Q = law(A, C, H) @ np.linalg.inv(H)
    assert np.allclose(A @ Q + Q.T @ A, C)
    assert not np.allclose(Q @ A + A @ Q.T, C, rtol=1e-2)


@pytest.mark.strong
def test_the_divergence_of_theorem_5_has_all_its_signs_turned():
    assert found("thm5.kl").corrected.text == (
        "KL(Sigma, q, A**(-1)/N, f) = N*tr(H*(EE^T + eps*C))/4 - D/2 - log(det(H))/2 - log(det(T))/2"
        " - log(det(N*A))/2"
    )


def test_the_reverse_divergence_has_a_best_rate_for_any_curvature_and_noise():
    assert found("appC.only_viable").verdict == "proved"
    A, C, _ = dense(8)
    N, S, d = 40.0, 4.0, 3
    unit = law(A, C, np.eye(d))  # Sigma_0
    best = S * np.trace(np.linalg.inv(unit @ A)) / (N * d)

    def reverse(eps):
        ratio = np.linalg.inv(N * eps / S * unit @ A)
        return (np.trace(ratio) - logdet(ratio) - d) / 2

    assert reverse(best) < min(reverse(best * 1.001), reverse(best * 0.999))


@pytest.mark.strong
def test_discrete_counterparts():
    assert CLAIMS["eq19"].find("discrete").corrected.text == (
        "tr(A*Sigma) = tr(A*Sigma*A*H)/2 + tr(C*H)/(2*S)"
    )
    assert CLAIMS["eq18"].find("discrete").corrected.text == (
        "A*Sigma + H**(-1)*Sigma*A*H = A*Sigma*A*H + C*H/S"
    )
    assert CLAIMS["thm1.trace"].find("discrete").gap.text == (
        "relative gap eps*Trace(A*C)/(2*Trace(C)), of order 1 in eps"
    )
