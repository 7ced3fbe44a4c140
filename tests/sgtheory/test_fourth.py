"""Third and fourth moments: against the enumeration of all minibatches, and against wrong twins."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory import law
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.fourth import fourth_moments, partitions
from sgtheory.problem import Problem

EPS = 0.125


def maps(X, y, S, replacement, momentum, eps=EPS):
    """(z, 1) -> (z', 1) for every minibatch, written out by hand."""
    n, d = X.shape
    mode = np.linalg.solve(X.T @ X, X.T @ y)
    draws = product(range(n), repeat=S) if replacement else combinations(range(n), S)
    for batch in draws:
        rows, targets = X[list(batch)], y[list(batch)]
        curved, pull = rows.T @ rows / S, rows.T @ (rows @ mode - targets) / S
        if not momentum:
            T = np.eye(d + 1)
            T[:d, :d] -= eps * curved
            T[:d, d] = -eps * pull
        else:  # v' = v/2 - eps g, theta' = theta + v'; states in the order theta, v
            T = np.zeros((2 * d + 1, 2 * d + 1))
            one = np.eye(d)
            T[:d, :d], T[:d, d : 2 * d], T[:d, -1] = one - eps * curved, one / 2, -eps * pull
            T[d : 2 * d, :d], T[d : 2 * d, d : 2 * d], T[d : 2 * d, -1] = (
                -eps * curved,
                one / 2,
                -eps * pull,
            )
            T[-1, -1] = 1
        yield T


def enumerated(X, y, S, replacement, momentum=False, noise=0.0):
    """Moments of orders 2 to 4 by powers of the mean operator, which is tabled as it stands."""
    d = X.shape[1]
    all_maps = list(maps(X, y, S, replacement, momentum))
    size = len(all_maps[0])
    # three values with the moments of a standard normal number up to the fifth
    nodes = [(-(3**0.5), 1 / 6), (0.0, 2 / 3), (3**0.5, 1 / 6)] if noise else [(0.0, 1.0)]
    operator = np.zeros((size**4, size**4))
    for T in all_maps:
        for picks in product(nodes, repeat=d if noise else 1):
            moved, weight = T.copy(), 1 / len(all_maps)
            for k, (z, w) in enumerate(picks):
                weight *= w
                if noise:
                    moved[k, -1] += noise * z
            two = np.kron(moved, moved)
            operator += weight * np.kron(two, two)
    tensor = np.zeros(size**4)
    tensor[-1] = 1.0
    power = operator
    for _ in range(40):
        power = power @ power
        if np.abs(power @ tensor - operator @ (power @ tensor)).max() < 1e-15:
            break
    m = (power @ tensor).reshape((size,) * 4)
    second = np.array([m[k, k, -1, -1] for k in range(d)])
    third = np.array([m[k, k, k, -1] for k in range(d)])
    fourth = np.array([m[k, k, k, k] for k in range(d)])
    return third / second**1.5, fourth / second**2 - 3


def problem_of(X, y, S, replacement, **params):
    rows = [[int(v) for v in row] for row in X]
    return Problem.of({"model": "linear_regression", "X": rows, "y": [int(v) for v in y], "S": S,
                       "replacement": replacement, "params": {"eps": EPS, **params}})  # fmt: skip


small = st.integers(-2, 2)


@settings(max_examples=12)
@given(
    data=st.integers(1, 2).flatmap(
        lambda d: st.lists(st.lists(small, min_size=d + 1, max_size=d + 1), min_size=3, max_size=4)
    ),
    S=st.integers(1, 3),
    replacement=st.booleans(),
)
def test_moments_are_those_of_all_minibatches(data, S, replacement):
    X, y = np.array(data, float)[:, :-1], np.array(data, float)[:, -1]
    assume(np.linalg.matrix_rank(X) == X.shape[1])
    problem = problem_of(X, y, S, replacement)
    stable = law("sgd", problem)
    assume(stable.stable and stable.mean_square_radius < 0.99)
    assume(np.linalg.eigvalsh(stable.covariance["theta", "theta"])[0] > 1e-6)
    try:
        found = fourth_moments("sgd", problem)
    except Unstable:
        assume(False)
    assume(found.radius < 0.99)
    skewness, excess = enumerated(X, y, S, replacement)
    np.testing.assert_allclose(found.skewness, skewness, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.excess_kurtosis, excess, rtol=1e-8, atol=1e-8)


X = np.array([[1, 0], [0, 1], [1, 1], [2, -1]], float)
Y = np.array([1, -1, 2, 0], float)


def test_momentum_carries_its_velocity_along():
    problem = problem_of(X[:, :1], Y, 2, True, mu="1/2")
    found = fourth_moments("momentum", problem)
    skewness, excess = enumerated(X[:, :1], Y, 2, True, momentum=True)
    np.testing.assert_allclose(found.skewness, skewness, rtol=1e-9)
    np.testing.assert_allclose(found.excess_kurtosis, excess, rtol=1e-9)


def test_injected_noise_is_gaussian():
    # SGLD with step 2 EPS/N moves by EPS times the mean gradient and injects sqrt(2 EPS/N)
    problem = problem_of(X, Y, 1, True).with_params(eps=2 * EPS / 4)
    found = fourth_moments("sgld", problem)
    skewness, excess = enumerated(X, Y, 1, True, noise=(2 * EPS / 4) ** 0.5)
    np.testing.assert_allclose(found.skewness, skewness, rtol=1e-9)
    np.testing.assert_allclose(found.excess_kurtosis, excess, rtol=1e-9)


def test_wrong_twins_are_seen():
    right = fourth_moments("sgd", problem_of(X, Y, 2, False)).excess_kurtosis
    other_way = enumerated(X, Y, 2, True)[1]
    assert np.abs(right - other_way).max() > 1e-3  # the other way of drawing
    assert np.abs(right).max() > 1e-2  # a Gaussian
    assert np.abs(enumerated(X, Y, 2, False)[1] - right).max() < 1e-9


def test_a_gaussian_chain_has_none():
    problem = Problem.of({"hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 1]], "N": 9, "S": 1,
                          "params": {"eps": "1/9"}})  # fmt: skip
    found = fourth_moments("sgd", problem)
    assert not found.skewness.any()
    assert not found.excess_kurtosis.any()


def test_fourth_moments_may_be_missing_where_second_ones_are_not():
    """One example in four is steep: rarely, but then by a lot, the chain is thrown away."""
    data = {"model": "linear_regression", "X": [[3], [3], [3], [7]], "y": [1, -1, 1, 0], "S": 1}

    def growth(eps, power):
        return np.mean([(1 - eps * x * x) ** power for x in (3, 3, 3, 7)])

    tame = Problem.of({**data, "params": {"eps": "1/25"}})
    assert fourth_moments("sgd", tame).radius >= growth(1 / 25, 4) - 1e-12
    wild = Problem.of({**data, "params": {"eps": "1/18"}})
    assert law("sgd", wild).stable
    assert growth(1 / 18, 2) < 1 < growth(1 / 18, 4)
    with pytest.raises(Unstable, match="fourth"):
        fourth_moments("sgd", wild)


@pytest.mark.parametrize("name", ["iasg", "underdamped", "reshuffled_sgd"])
def test_what_is_no_single_minibatch_is_refused(name):
    problem = problem_of(X, Y, 2, True, gamma=1)
    with pytest.raises(UnusableInput, match="minibatch"):
        fourth_moments(name, problem)


def test_too_many_coordinates_are_refused():
    wide = np.vstack([np.eye(7), 2 * np.eye(7)])
    with pytest.raises(UnusableInput, match="coordinates"):
        fourth_moments("sgd", problem_of(wide, np.ones(14), 1, True))


def test_partitions_are_all_and_different():
    found = [frozenset(frozenset(block) for block in p) for p in partitions((0, 1, 2, 3))]
    assert len(set(found)) == 15
    assert all(sorted(k for block in p for k in block) == [0, 1, 2, 3] for p in found)
