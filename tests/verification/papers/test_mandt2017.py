"""The claims of the papers: verdicts found by machine, held against routes of the test's own."""

from functools import cache

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from tests.verification.papers.matrices import dense
from verification.library import all_claims, claims, select

CLAIMS = {c.id: c for c in all_claims()}


@cache
def found(id_):
    return CLAIMS[id_].find()


def test_order_and_selection():
    ids = [c.id for c in claims("mandt2017")]
    assert ids.index("mandt2017.eq13") < ids.index("mandt2017.eq25") < ids.index("mandt2017.appD.eq42")
    assert [c.id for c in select(("mandt2017.eq25", "mandt2017.eq25"))] == ["mandt2017.eq25"]


def test_eq25_corrected_in_random_matrices():
    """mu (A S + S A) + eps/(2 mu) [A, [A, S]] = eps/S C, by a Lyapunov solve of the full system."""
    assert "eps*(A**2*Sigma + Sigma*A**2)/(2*mu**2) - eps*A*Sigma*A/mu**2" in (
        found("mandt2017.eq25").corrected.text
    )
    for d in (2, 3, 5):
        A, C = dense(d, d)
        eps, mu, S, one = 0.3, 0.7, 3.0, np.eye(d)
        F = np.block([[np.zeros((d, d)), one], [-eps * A, -mu * one]])
        Q = np.zeros((2 * d, 2 * d))
        Q[d:, d:] = eps**2 / S * C
        P = solve_continuous_lyapunov(F, -Q)[:d, :d]
        printed = A @ P + P @ A - eps / (mu * S) * C
        corrected = printed + eps / (2 * mu**2) * (A @ A @ P + P @ A @ A - 2 * A @ P @ A)
        assert abs(corrected).max() < 1e-12
        assert abs(printed).max() > 1e-4


def test_section_5_1_corrected_in_random_matrices():
    assert found("mandt2017.sec5_1.stationarity").corrected.text.endswith("I + eps*N**2*C/(4*S)")
    A, C = dense(4, 1)
    eps, N, S = 0.01, 50.0, 5.0
    Q = eps * np.eye(4) + (eps / 2 * N) ** 2 / S * C
    P = solve_continuous_lyapunov(-eps / 2 * N * A, -Q)
    left = N / 2 * (A @ P + P @ A)
    assert np.allclose(left, np.eye(4) + eps * N**2 / (4 * S) * C, rtol=1e-12)
    assert not np.allclose(left, np.eye(4) + eps * N / (2 * S) * C, rtol=1e-2)


def test_the_exact_gain_of_the_discrete_algorithm_has_zero_divergence():
    assert CLAIMS["mandt2017.cor4"].find("discrete").corrected.text == "H = 2*(N*C/S + A)**(-1)"
    A, C = dense(4, 2)
    N, S = 200.0, 3.0

    def divergence(H):
        return law(
            "sgd",
            Problem.of(
                {"hessian": A.tolist(), "noise": C.tolist(), "N": 200, "S": 3,
                 "params": {"H": ((H + H.T) / 2).tolist()}}
            ),
        ).kl_to_posterior  # fmt: skip

    assert abs(divergence(2 * np.linalg.inv(N / S * C + A))) < 1e-10
    assert divergence(2 * S / N * np.linalg.inv(C)) > 1e-6


def test_corollary_3_is_beaten_by_another_diagonal_gain():
    shown = found("mandt2017.cor3").counterexample
    problem = Problem.of(shown.problem)
    H = np.array([[float(x) for x in row] for row in problem.params["H"]])

    def divergence(diagonal):
        H_new = [[str(diagonal[0]), 0], [0, str(diagonal[1])]]
        return law("sgd", problem.with_params(H=H_new), time="continuous").kl_to_posterior

    here, better = divergence(np.diag(H)), divergence((1.5, 0.2))
    assert better < here
    assert here == pytest.approx(float(shown.left), abs=1e-6)
    assert better == pytest.approx(float(shown.right), abs=1e-6)


def test_theorem_1_in_random_matrices():
    A, C = dense(3, 5)
    N, S = 30, 2
    best = 2 * S / N * 3 / np.trace(C)

    def divergence(eps):
        return law(
            "sgd",
            Problem.of(
                {"hessian": A.tolist(), "noise": C.tolist(), "N": N, "S": S, "params": {"eps": eps}}
            ),
            time="continuous",
        ).kl_to_posterior

    assert divergence(best) < min(divergence(best * 1.001), divergence(best * 0.999))
