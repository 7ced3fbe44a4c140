"""What averages over one run are, held against all paths that the run can take."""

import itertools
from fractions import Fraction as F

import numpy as np
import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.numbers.runs import Chain, Schedule, _moved_on, _sums
from sgtheory.setting import Setting

X, Y = [[1, 0], [1, 1], [0, 2]], [1, 0, 2]
DATA = {
    "model": "linear_regression", "X": X, "y": Y, "ridge": 1, "S": 1,
    "params": {"eps": "1/8", "mu": "1/4"}, "start": {"theta": ["1/2", -1]},
}  # fmt: skip
QUADRATIC = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 40, "S": 4,
    "params": {"eps": "1/5", "mu": "3/10"}, "start": {"theta": [1, -2]},
}  # fmt: skip


def chain(sampler, content, **how):
    problem, declared = sg.Problem.of(content), registry.sampler(sampler)
    return Chain.of(Setting(declared, problem.model), problem.values(declared), **how)


def minibatch_gradient(theta, rows):
    """The mean gradient of some rows of DATA, in fractions."""
    found = []
    for j in range(2):
        each = (sum(F(X[n][k]) * theta[k] for k in range(2)) - Y[n] for n in rows)
        parts = [r * X[n][j] for r, n in zip(each, rows, strict=True)]
        found.append(sum(parts) / len(parts) + F(1, 3) * theta[j])
    return found


def step(sampler, state, gradient):
    theta, v = state
    if sampler == "sgd":
        return [t - F(1, 8) * g for t, g in zip(theta, gradient, strict=True)], v
    v = [F(3, 4) * a - F(1, 8) * g for a, g in zip(v, gradient, strict=True)]
    return [t + a for t, a in zip(theta, v, strict=True)], v


def over_all_paths(sampler, schedule, batches, mode):
    """E of the average's distance, of its square, and of the sample covariance, path by path."""
    total = np.zeros(2, object), np.zeros((2, 2), object), np.zeros((2, 2), object)
    paths = list(itertools.product(batches, repeat=schedule.steps))
    for path in paths:
        state, kept = ([F(1, 2), F(-1)], [F(0), F(0)]), []
        for t, rows in enumerate(path, 1):
            state = step(sampler, state, minibatch_gradient(state[0], rows))
            if t > schedule.burn_in and (t - schedule.burn_in) % schedule.every == 0:
                kept.append(np.array(state[0], object) - mode)
        mean = sum(kept) / len(kept)
        found = mean, np.outer(mean, mean), sum(np.outer(x - mean, x - mean) for x in kept) / len(kept)
        for place, value in zip(total, found, strict=True):
            place += value
    return [np.array(place / len(paths), float) for place in total]


@pytest.mark.parametrize("sampler", ["sgd", "momentum"])
@pytest.mark.parametrize("schedule", [(0, 4), (1, 3), (0, 2, 2), (1, 1), (2, 1, 2)])
@pytest.mark.parametrize("S", [1, 2])
def test_every_moment_is_that_of_all_paths(sampler, schedule, S):
    schedule, content = Schedule(*schedule), DATA | {"S": S, "replacement": S == 1}
    mode = np.array(sg.Problem.of(content).examples.mode, object)
    batches = list(itertools.combinations(range(3), S))
    bias, square, sample = over_all_paths(sampler, schedule, batches, mode)
    found = chain(sampler, content, follow=True).average(schedule)
    np.testing.assert_allclose(found.bias, bias, atol=1e-14)
    np.testing.assert_allclose(found.mean_square, square, atol=1e-14)
    np.testing.assert_allclose(found.squares, sample, atol=1e-14)


def test_a_wrong_twin_of_the_error_is_seen():
    """The settled formula, without what the start leaves, is not what all paths say."""
    schedule = Schedule(1, 3)
    mode = np.array(sg.Problem.of(DATA).examples.mode, object)
    _, square, _ = over_all_paths("sgd", schedule, [(0,), (1,), (2,)], mode)
    settled = sg.law("sgd", DATA, average=3).average.covariance
    assert np.abs(settled / square - 1).max() > 0.1


@pytest.mark.parametrize("sampler", ["sgd", "momentum"])
def test_settled_chains_have_the_window_of_the_law(sampler):
    problem = {k: v for k, v in QUADRATIC.items() if k != "start"}
    found = chain(sampler, problem).average(Schedule(10_000, 7))
    exact = sg.law(sampler, problem, average=7).average.covariance
    np.testing.assert_allclose(found.covariance, exact, rtol=1e-12)
    np.testing.assert_allclose(found.bias, 0, atol=1e-15)


def test_noise_of_constant_size_needs_no_following():
    schedule = Schedule(3, 5, 2)
    plain, followed = chain("momentum", QUADRATIC), chain("momentum", QUADRATIC, follow=True)
    assert followed.moments is None
    law = sg.law("momentum", QUADRATIC, at=3)
    mean, covariance = plain.at(3)
    np.testing.assert_allclose(mean, law.mean["theta"], rtol=1e-12)
    np.testing.assert_allclose(covariance, law.covariance["theta"], rtol=1e-12)
    np.testing.assert_array_equal(plain.average(schedule).bias, followed.average(schedule).bias)


def test_without_following_noise_is_settled_from_the_start():
    """What is left out vanishes with what is left of the start."""
    off = []
    for burn_in in (0, 400):
        exact = chain("sgd", DATA, follow=True).average(Schedule(burn_in, 9)).covariance
        without = chain("sgd", DATA).average(Schedule(burn_in, 9)).covariance
        off.append(np.abs(without / exact - 1).max())
    assert off[0] > 0.1
    assert off[1] < 1e-6


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("sampler", ["sgd", "momentum"])
def test_the_scatter_of_sample_variances_is_that_of_a_quadratic_form(sampler, every):
    """2 tr((H K)^2)/n^2 of the explicit covariance matrix of n kept steps, H taking the mean off."""
    n, one = 7, chain(sampler, QUADRATIC)
    directions = np.array([[1.0, 0.0], [0.6, -0.8]])
    power = one.modes.M()[:, None]
    K = np.empty((2, n, n))
    for t, u in itertools.product(range(n), repeat=2):
        moved = np.linalg.matrix_power(power, every * abs(t - u)) @ one.settled
        theta = one.modes.bases[0] @ moved[:, :, 0, 0] @ one.modes.bases[0].T
        K[:, t, u] = np.einsum("ia,ab,ib->i", directions, theta, directions)
    centred = np.eye(n) - 1 / n
    exact = [2 / n**2 * np.trace(centred @ k @ centred @ k) for k in K]
    np.testing.assert_allclose(one.quick.scatter(Schedule(0, n, every), directions), exact, rtol=1e-12)


def test_what_never_settles_is_refused():
    with pytest.raises(sg.Unstable):
        chain("sgd", QUADRATIC | {"params": {"eps": 2}})
    with pytest.raises(sg.Unstable, match="mean square"):
        chain("sgd", DATA | {"params": {"eps": "9/10"}})


@pytest.mark.parametrize("n", [0, 1, 5, 255, 256, 1001])
def test_sums_by_stretches_are_those_of_steps(n):
    rng = np.random.default_rng(n)
    K, M, away, v = (rng.normal(size=s) for s in ((5, 5), (2, 2), (4, 5), 5))
    K, M = K / np.abs(np.linalg.eigvals(K)).max(), M / np.abs(np.linalg.eigvals(M)).max()
    total, later, now = np.zeros(5), np.zeros((2, 2)), v
    for _ in range(n):
        now = K @ now
        total, later = total + now, M @ later + (away @ now).reshape(2, 2)
    found = _sums(K, M, away, v, n)
    assert _moved_on(K, v, n) == pytest.approx(now)
    assert found[0] == pytest.approx(total)
    assert found[1] == pytest.approx(later)


@pytest.mark.parametrize("sampler", ["sgd", "momentum"])
@pytest.mark.parametrize("schedule", [Schedule(0, 9), Schedule(3, 20, 2), Schedule(5, 1)])
def test_the_scatter_of_variances_counts_the_start(sampler, schedule):
    ran = chain(sampler, QUADRATIC)
    n, M, theta = schedule.kept, ran.modes.M(), [s.name for s in ran.modes.form.states].index("theta")
    powers = [
        np.array([np.linalg.matrix_power(m, schedule.burn_in + schedule.every * (t + 1)) for m in M])
        for t in range(n)
    ]
    start = ran.second - ran.mean[:, None, :, None] * ran.mean[None, :, None, :] - ran.settled
    lags = [
        np.array([np.linalg.matrix_power(m, schedule.every * abs(t - u)) for m in M])
        for t in range(n)
        for u in range(n)
    ]
    direction = np.array([1.0, -2.0])
    along = direction @ ran.modes.bases[theta]

    def seen(blocks):
        return along @ blocks[:, :, theta, theta] @ along

    K = np.array([
        [
            seen(lags[t * n + u][:, None] @ ran.settled)
            + seen(powers[t][:, None] @ start @ powers[u][None].swapaxes(-1, -2))
            for u in range(n)
        ]
        for t in range(n)
    ])  # fmt: skip
    m = np.array([along @ (p @ ran.mean[:, :, None])[:, theta, 0] for p in powers])
    Q = (np.eye(n) - 1 / n) / n
    exact = 2 * np.trace(Q @ K @ Q @ K) + 4 * m @ Q @ K @ Q @ m
    assert ran.scatter(schedule, direction[None])[0] == pytest.approx(exact, rel=1e-9, abs=1e-13)
    settled = ran.quick.scatter(schedule, direction[None])[0]
    assert n == 1 or abs(settled / exact - 1) > 0.02
