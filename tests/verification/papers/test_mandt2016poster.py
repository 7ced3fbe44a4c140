"""The poster: what is true instead of what it prints, held against NumPy."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from tests.verification.papers.matrices import dense
from verification.library import claims

CLAIMS = {c.key: c for c in claims("mandt2016poster")}


@cache
def found(key, time=None):
    return CLAIMS[key].find(time)


def divergence(V, W):
    ratio = np.linalg.solve(W, V)
    return (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(V)) / 2


def stationary(A, C, share, H=None):
    H = np.eye(len(A)) if H is None else H
    return solve_continuous_lyapunov(H @ A, share * H @ C @ H.T)


def test_claims_come_in_the_order_of_the_poster():
    files = [k.split(".")[0] for k in CLAIMS]
    order = "introduction limit benefits optimal experiments scalable conclusion"
    assert list(dict.fromkeys(files)) == order.split()


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (
            "benefits.kl_definition",
            "KL(Sigma_q, q, A**(-1), f) = E_q[log q(theta)] - E_q[log f(theta)]",
        ),
        (
            "optimal.kl",
            "KL(Sigma_q, q, A**(-1), f) = tr(A*Sigma_q)/2 - D/2 - log(det(A))/2 - log(det(Sigma_q))/2",
        ),
        ("optimal.kl_step", "KL(Sigma, q, A**(-1), f) =c= eps*tr(C)/(4*S) - D*log(eps/S)/2"),
        ("optimal.kl_gain", "KL(Sigma, q, A**(-1), f) =c= eps*tr(C*H)/(4*S) - log(det(Sigma))/2"),
        ("scalable.gain", "H = 2*(EE^T + eps*C)**(-1) minimises KL(Sigma, q, A**(-1), f)"),
        ("scalable.process", "d theta = -H*A*theta*dt + H*E*dV + sqrt(eps)*H*B*dW"),
    ],
)
def test_what_is_true_instead(key, text):
    assert found(key).verdict == "refuted"
    assert found(key).corrected.text == text


def test_the_corrected_divergences_in_random_matrices():
    """Differences of divergences at two steps (and gains) are those of the corrected formulas."""
    A, C = dense(4, 1)
    H, _ = dense(4, 2)
    D, right, gains, printed = 4, [], [], []
    shares = (0.1, 0.4)
    for share in shares:
        V = stationary(A, C, share)
        right.append(divergence(V, np.linalg.inv(A)) - share * np.trace(C) / 4 + D * np.log(share) / 2)
        printed.append(divergence(V, np.linalg.inv(A)) - share * np.trace(C) / 2 + np.log(share))
        V = stationary(A, C, share, H)
        trace, log = share * np.trace(C @ H) / 4, np.linalg.slogdet(V)[1] / 2
        gains.append(divergence(V, np.linalg.inv(A)) - trace + log)
    assert right[0] == pytest.approx(right[1], rel=1e-10)
    assert gains[0] == pytest.approx(gains[1], rel=1e-10)
    assert abs(printed[0] - printed[1]) > 0.1


def test_one_wiener_process_for_two_noises_is_not_what_fisher_scoring_does():
    source = np.random.default_rng(3)
    B, E = source.standard_normal((2, 3, 3))
    eps, one = 0.3, np.sqrt(0.3) * B + E
    both = eps * B @ B.T + E @ E.T
    assert np.allclose(one @ one.T - both, np.sqrt(eps) * (B @ E.T + E @ B.T))
    assert found("scalable.process").reason.startswith("The noise of the sampler less what is stated is")


@pytest.mark.parametrize("d", [1, 3])
def test_the_best_step_counts_the_dimensions(d):
    assert found("optimal.step").condition == "D = 1"
    assert found("optimal.step").corrected.text.startswith("eps = 2*D*S/tr(C) minimises")
    A, C = dense(d, 7)
    S = 5.0

    def at(eps):
        return divergence(stationary(A, C, eps / S), np.linalg.inv(A))

    best = 2 * d * S / np.trace(C)
    assert at(best) < min(at(1.001 * best), at(0.999 * best))
    printed = 2 * S / np.trace(C)
    assert (at(printed) - at(best) > 1e-3) == (d > 1)


def test_the_best_diagonal_gain_is_no_multiple_of_the_printed_one():
    shown = found("optimal.diagonal").counterexample.problem
    A, C = (
        np.array([[float(Fraction(x)) for x in row] for row in shown[n]]) for n in ("hessian", "noise")
    )
    H = np.array([[float(Fraction(x)) for x in row] for row in shown["params"]["H"]])
    S = float(Fraction(shown["S"]))
    assert np.allclose(np.diag(H) * np.diag(C), H[0, 0] * C[0, 0])  # the printed shape

    def at(gain):
        return divergence(stationary(A, C, 1 / S, np.diag(gain)), np.linalg.inv(A))

    best = np.diag(H)
    here = at(best)
    assert here < min(at(1.001 * best), at(0.999 * best))  # no other factor is better
    tilted = [at(best * np.array([1 + t, 1 - t])) for t in (-0.02, 0.02)]
    assert min(tilted) < here - 1e-6


def test_the_number_of_examples_does_not_belong_to_a_summed_loss():
    A, C = dense(3, 9)
    E = np.random.default_rng(4).standard_normal((3, 3))
    noise = 0.2 * C + E @ E.T

    def covariance(H):
        return solve_continuous_lyapunov(H @ A, H @ noise @ H)

    best = 2 * np.linalg.inv(noise)
    assert np.allclose(covariance(best), np.linalg.inv(A))
    assert divergence(covariance(best / 10), np.linalg.inv(A)) > 1  # ten examples


def test_order_of_the_diffusion_and_what_it_drops():
    reason = found("limit.approximates").reason
    assert "-ell'(theta)*ell''(theta)*f'(theta)/2" in reason
    assert found("limit.sde", "discrete").gap.term.text == "eps*A/2"
