"""Printed recipes against the best choice: equations, gaps and losses, by routes of the test's own."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov
from scipy.optimize import minimize, minimize_scalar

from tests.verification.papers.matrices import dense
from verification.library import all_claims
from verification.papers.mandt2017.hypotheses import FULL_RANK
from verification.theories.matrices.freedom import Freedom
from verification.theories.matrices.losses import loss_of
from verification.theories.matrices.recipes import recipe_of

CLAIMS = {c.key: c for c in all_claims() if c.paper == "mandt2017"}


def recipe(key, time="continuous"):
    (one,) = CLAIMS[key].at_numbers.relations
    return recipe_of(CLAIMS[key].subject(time), one.asked)


@cache
def found(key, time="continuous"):
    return CLAIMS[key].find(time)


def covariance(A, C, H, time, S=1.0):
    F, Q = H @ A, H @ C @ H / S
    if time == "continuous":
        return solve_continuous_lyapunov(F, Q)
    return solve_discrete_lyapunov(np.eye(len(A)) - F, Q)


def divergence(A, Sigma, N, reverse=False):
    X = N * A @ Sigma
    if reverse:
        X = np.linalg.inv(X)
    return float(np.trace(X) - np.linalg.slogdet(X)[1] - len(A)) / 2


def test_the_best_diagonal_gain_solves_the_equations_that_are_shown():
    shown = found("cor3").corrected.text
    assert "diag(A*Sigma*Y - C*H*Y/S) = 0, with A*H*Y + Y*H*A = N*A - Sigma**(-1)" in shown
    A, C = dense(3, 4)
    N, S = 50.0, 3.0

    def value(x):
        return divergence(A, covariance(A, C, np.diag(np.exp(x)), "continuous", S), N)

    printed = 2 * S / N / np.diag(C)
    options = {"gtol": 1e-11}
    best = np.exp(minimize(value, np.log(printed), method="BFGS", options=options).x)

    def left_over(h):
        H = np.diag(h)
        Sigma = covariance(A, C, H, "continuous", S)
        Y = solve_continuous_lyapunov(A @ H, N * A - np.linalg.inv(Sigma))
        return np.abs(np.diag(A @ Sigma @ Y - C @ H @ Y / S)).max()

    assert left_over(best) < 1e-5 * left_over(printed)


def test_the_diagonal_recipe_loses_without_bound_as_noise_becomes_singular():
    loss = found("cor3").loss.data["loss"]
    assert (loss["kind"], loss["bounded"]) == ("unbounded", False)
    lost = []
    for u in (0.1, 0.01, 0.001):
        B = np.array([[1, 1 - u], [1 - u, 1]])
        C, A, N = B @ B, np.eye(2), 16.0
        h = 2 / N / np.diag(C)
        gains = np.diag(h), np.diag(h * [1.5, 0.5])
        values = [divergence(A, covariance(A, C, H, "continuous"), N) for H in gains]
        lost.append(values[0] - values[1])
    # (1/2) log of something like 3/(16 u^2): another decade, another log 10
    assert np.diff(lost) == pytest.approx([math.log(10)] * 2, rel=0.03)
    assert lost[2] > 4


def test_no_formula_that_treats_coordinates_alike():
    said = next(e for e in found("cor3").evidence if "volume_ratio" in e.data)
    assert said.data["volume_ratio"] == "13/12"
    kappa = sp.Rational(16, 9)  # c^2/(1 - c^2) for the correlation 4/5 of B B^T
    assert (1 - sp.Rational(1, 4)) * (1 + kappa / 4) == sp.Rational(13, 12)


@pytest.mark.strong
def test_the_reverse_recipe_is_always_too_long_and_its_correction_is_best():
    A, C = dense(3, 7)
    N, S = 40.0, 2.0
    Sigma0 = S * covariance(A, C, np.eye(3), "continuous", S)
    best = S * np.trace(np.linalg.inv(A) @ np.linalg.inv(Sigma0)) / (N * 3)
    printed = 2 * S / (N * 3) * np.trace(np.linalg.inv(C))

    def value(x):
        return divergence(A, np.exp(x) / S * Sigma0, N, reverse=True)

    assert np.exp(minimize_scalar(value).x) == pytest.approx(best, rel=1e-6)
    assert best < printed
    assert "S*Tr(A^(-1)*Sigma_0^(-1))/(N*D)" in found("appC.eq41.in_general").corrected.text
    assert found("appC.eq41.in_general").condition == "A and B B^T commute"


def test_the_gap_of_theorem_1_is_the_one_that_is_measured():
    A, C = dense(3, 5)
    N, D = 4e3, 3  # the minimum is flat: at a larger N its place is lost in rounding
    printed = 2 * D / (N * np.trace(C))
    best = minimize_scalar(
        lambda e: divergence(A, covariance(A, C, e * np.eye(D), "discrete"), N),
        bounds=(printed / 2, printed * 2), method="bounded", options={"xatol": 1e-14},
    ).x  # fmt: skip
    first = solve_continuous_lyapunov(A, C)
    second = solve_continuous_lyapunov(A, A @ first @ A)
    gap = 2 * np.trace(A @ second) / np.trace(A @ first) - np.trace(np.linalg.solve(first, second)) / D
    assert printed / best - 1 == pytest.approx(printed * gap, rel=2e-2)
    assert (
        "2*Tr(A*Sigma_1)/Tr(A*Sigma_0) - Tr(Sigma_0^(-1)*Sigma_1)/D"
        in found("thm1", "discrete").gap.text
    )


@pytest.mark.parametrize("key", ["thm1", "cor6.scalar", "sec4_3.rule", "appC.eq41"])
def test_no_formula_in_roots_gives_the_best_step_of_the_algorithm(key):
    told = next(e for e in found(key, "discrete").evidence if "galois_group_order" in e.data)
    polynomial = sp.Poly(sp.sympify(told.data["polynomial"]))
    assert polynomial.is_irreducible
    assert polynomial.degree() == 5
    assert told.data["galois_group_order"] == 120
    if key == "thm1":  # the law at A = diag(1, 2, 3), C = I, N = S = 1
        (x,) = polynomial.real_roots()
        eps = minimize_scalar(
            lambda e: sum(a * v - math.log(a * v) for a in (1, 2, 3) for v in [e / (a * (2 - e * a))]),
            bounds=(1e-3, 0.66), method="bounded", options={"xatol": 1e-12},
        ).x  # fmt: skip
        assert float(x) == pytest.approx(eps, rel=1e-6)


@pytest.mark.parametrize(
    "key",
    [
        *("thm1", "cor3", "thm7", "cor6.scalar"),
        *(
            pytest.param(k, marks=pytest.mark.strong)
            for k in ("thm2", "thm5", "cor6.diagonal", "appC.eq41")
        ),
    ],
)
def test_every_recipe_is_unstable_somewhere(key):
    loss = found(key, "discrete").loss
    assert loss.data["loss"]["value"] == "infinite"
    problem = loss.data["loss"]["problem"]
    A, params = float(Fraction(problem["hessian"][0][0])), problem["params"]
    step = Fraction(params["eps"]) * Fraction(params.get("H", [["1"]])[0][0])
    better = {**params, **loss.data["loss"]["better"]}
    smaller = Fraction(better["eps"]) * Fraction(better.get("H", [["1"]])[0][0])
    assert A * step > 2 > A * smaller


def test_gaps_of_gains():
    assert found("thm2", "discrete").gap.text.startswith("relative gap A*H/2")
    assert (
        found("thm5", "discrete").gap.text
        == "relative gap eps*A*H/2 with the printed H, of order 1 in 1/N"
    )
    A, C = dense(3, 1)
    H = 2 / 1e5 * np.linalg.inv(C)
    exact = 2 * np.linalg.inv(A + 1e5 * C)
    assert np.allclose(H @ np.linalg.inv(exact) - np.eye(3), H @ A / 2, rtol=1e-6, atol=1e-12)


@pytest.mark.long
def test_the_momentum_rule_loses_little_on_the_problems_that_are_searched():
    loss = found("sec4_3.rule").loss.data["loss"]
    assert (loss["kind"], loss["bounded"]) == ("found", None)
    assert 0.01 < loss["value"] < 0.11


def test_a_recipe_that_is_best_loses_nothing():
    loss = loss_of(recipe("thm1")).data["loss"]
    assert loss["kind"] != "unbounded"
    assert abs(loss["value"]) < 1e-9
    assert loss_of(recipe("cor3")).data["loss"]["kind"] == "unbounded"


@pytest.mark.strong
def test_counterexamples_have_the_full_rank_that_is_assumed():
    for key in ("cor3", "appC.eq41.in_general", "sec4_3.rule"):
        assert FULL_RANK in CLAIMS[key].given
        noise = found(key).counterexample.problem["noise"]
        C = sp.Matrix([[sp.Rational(x) for x in row] for row in noise])
        assert C.rank() == C.rows == 2


def test_what_is_free_has_as_many_directions_as_it_should():
    count = [len(Freedom(over).directions(3)) for over in ("step", "multiple of the identity")]
    assert count == [1, 1]
    assert len(Freedom("diagonal gain").directions(3)) == 3
    assert len(Freedom("gain").directions(3)) == 6
