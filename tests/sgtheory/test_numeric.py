"""The law in numbers against brute force that shares only the declaration."""

import numpy as np
import pytest
from hypothesis import assume, given

from sgtheory import registry
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from tests.sgtheory.brute_force import Evaluator, stationary
from tests.sgtheory.scanning import affine, period
from tests.sgtheory.strategies import problems, scaled_for

ALL = (*affine(), "underdamped:OBABO", "underdamped:ABOBA", "underdamped:OOBA")
SAMPLERS = tuple(n for n in ALL if period(n) is not None)  # that settle
CLOCKLESS = tuple(n for n in SAMPLERS if period(n) == 1)
CASES = [(n, "discrete") for n in SAMPLERS] + [
    (n, "continuous") for n in CLOCKLESS if not n.startswith("underdamped")
]
SLOW = (
    "svrg_ld",
    "momentum_position_first",
    "nesterov",
    "sghmc_refreshed",
    "sghmc_velocity_first_refreshed",
)


def stacked(found):
    keyed = dict(found.covariance)
    keyed |= {(b, a): m.T for (a, b), m in found.covariance.items()}
    return np.block([[keyed[a, b] for b in found.states] for a in found.states])


def closeness(M, time):
    """Relative error that float64 input alone can cause: the condition of the equation.

    The inputs (entries of M) are off by one part in 2^52 and the solution amplifies that by one
    over the distance to instability.
    """
    values = np.linalg.eigvals(M)
    gap = 1 - max(abs(values)) ** 2 if time == "discrete" else 2 * min(-values.real)
    return max(1e-12, 64 * len(M) * np.finfo(float).eps / gap)


@pytest.mark.parametrize(
    ("name", "time"),
    [
        pytest.param(n, t, marks=[pytest.mark.strong] if t == "discrete" and n in SLOW else [])
        for n, t in CASES
    ],
)
@given(problem=problems(sizes=(1, 5)))
def test_stationary_law_is_that_of_brute_force(name, time, problem):
    sampler = registry.sampler(name)
    problem = scaled_for(problem, sampler)
    found = law(name, problem, time=time)
    assume(found.stable)
    M, Q = Evaluator(sampler, problem.values(sampler)).linear(time == "continuous")
    expected = stationary(M, Q, time)
    scale = abs(expected).max() or 1
    assert abs(stacked(found) - expected).max() <= closeness(M, time) * scale
    # the wrong twin: the same check must notice a law that is off by a part in a million
    if abs(expected).max() > 0 and closeness(M, time) < 1e-8:
        assert abs(stacked(found) * (1 + 1e-6) - expected).max() > closeness(M, time) * scale


@pytest.mark.parametrize("name", ALL)
@given(problem=problems(sizes=(1, 4)))
def test_finite_step_is_the_recursion(name, problem):
    sampler = registry.sampler(name)
    problem = scaled_for(problem, sampler)
    M, P = Evaluator(sampler, problem.values(sampler)).linear(steps=13)
    start = problem.start["theta"]
    mean = np.concatenate(
        [np.array(start, float) if s.name == "theta" else np.zeros(problem.D) for s in sampler.state]
    )
    mean = M @ mean
    found = law(name, problem, at=13)
    np.testing.assert_allclose(
        np.concatenate([found.mean[s] for s in found.states]), mean, atol=1e-11 * max(1, abs(mean).max())
    )
    assert abs(stacked(found) - P).max() <= 1e-11 * max(abs(P).max(), 1e-300)


@pytest.mark.parametrize("name", CLOCKLESS)
@given(problem=problems(sizes=(1, 3)))
def test_window_average_is_the_double_sum(name, problem):
    sampler = registry.sampler(name)
    problem = scaled_for(problem, sampler)
    window = 6
    found = law(name, problem, average=window)
    assume(found.stable)
    M, Q = Evaluator(sampler, problem.values(sampler)).linear()
    P = stationary(M, Q, "discrete")
    power = np.linalg.matrix_power
    total = sum(
        power(M, max(k - j, 0)) @ P @ power(M.T, max(j - k, 0))
        for k in range(window)
        for j in range(window)
    )
    at = found.states.index("theta") * problem.D
    expected = total[at : at + problem.D, at : at + problem.D] / window**2
    tolerance = closeness(M, "discrete") * (abs(P).max() or 1)
    assert abs(found.average.covariance - expected).max() <= tolerance
    across = sum(power(M, window + k - j) for k in range(window) for j in range(window)) @ P
    expected = across[at : at + problem.D, at : at + problem.D] / window**2
    assert abs(found.average.neighbour - expected).max() <= tolerance
    # a long average: the sum of the autocovariances, as a series
    away = np.linalg.inv(np.eye(len(M)) - M)
    summed = (away @ Q @ away.T)[at : at + problem.D, at : at + problem.D]
    now = P[at : at + problem.D, at : at + problem.D]
    for k in range(problem.D):
        if now[k, k] > 1e-9 * abs(P).max():
            slack = closeness(M, "discrete") * abs(P).max() / now[k, k] * (1 + abs(away).max())
            assert found.autocorrelation_time[k] == pytest.approx(
                summed[k, k] / now[k, k], rel=slack, abs=slack
            )


@pytest.mark.parametrize("name", [n for n, time in CASES if time == "continuous"])
def test_continuous_average_is_the_integral(name):
    problem = Problem.of(
        {"hessian": [[2, 1], [1, 2]], "noise": [[1, 0], [0, 3]], "N": 5, "S": 2,
         "params": {"eps": "1/10", "mu": "1/2", "E": [[1, 0], [2, 1]]}}
    )  # fmt: skip
    problem = scaled_for(problem, registry.sampler(name))
    from scipy.integrate import quad
    from scipy.linalg import expm

    sampler = registry.sampler(name)
    F, Q = Evaluator(sampler, problem.values(sampler)).linear(simultaneous=True)
    P, T = stationary(F, Q, "continuous"), 3
    at = [s.name for s in sampler.state].index("theta") * 2
    found = law(name, problem, time="continuous", average=T)
    for i in range(2):
        for j in range(2):

            def lagged(s, i=i, j=j):
                R = expm(F * s) @ P
                return (T - s) * (R[at + i, at + j] + R[at + j, at + i])

            value, error = quad(lagged, 0, T)
            assert abs(found.average.covariance[i, j] - value / T**2) <= error + 1e-13


def test_one_dimension_in_closed_form():
    for a, c, s, eps in ((2, 3, 4, 0.25), (1, 1, 1, 1.5), (5, 2, 3, 0.001)):
        problem = Problem.of({"hessian": [[a]], "noise": [[c]], "N": 7, "S": s, "params": {"eps": eps}})
        (variance,) = law("sgd", problem).covariance["theta", "theta"].ravel()
        assert variance == pytest.approx(eps * c / (s * a * (2 - eps * a)), rel=1e-15)


def test_divergence_against_sampling_free_formula():
    problem = Problem.of(
        {
            "hessian": [[2, 1], [1, 2]],
            "noise": [[1, 0], [0, 3]],
            "N": 5,
            "S": 2,
            "params": {"eps": "1/10"},
        }
    )
    found = law("sgd", problem)
    S, P = found.covariance["theta", "theta"], 5 * np.array([[2.0, 1], [1, 2]])
    expected = (np.trace(P @ S) - np.log(np.linalg.det(P @ S)) - 2) / 2
    assert found.kl_to_posterior == pytest.approx(expected, rel=1e-12)
    singular = Problem.of({**problem.to_json(), "noise": [[1, 1], [1, 1]], "hessian": [[1, 0], [0, 1]]})
    assert law("sgd", singular).kl_to_posterior is None


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("sgd", 1.0),
        ("momentum", 1.5),
        ("sgld", 0.4),
        ("nesterov", 0.75),
        ("momentum_position_first", 0.25),
    ],
)
def test_the_limit_of_stability_is_sharp(name, limit):
    # curvature a = 2, mu 1/2, N 5: 2/a, 2 (2 - mu)/a, 4/(N a), 2 (2 - mu)/(a (3 - 2 mu)), mu/a
    def at(eps):
        problem = {"hessian": [[2]], "noise": [[1]], "N": 5, "S": 1, "params": {"eps": eps, "mu": "1/2"}}
        return law(name, Problem.of(problem))

    assert at(limit * 0.999).stable
    beyond = at(limit * 1.001)
    assert not beyond.stable
    assert f"= {limit:.6g}" in beyond.unstable_because
