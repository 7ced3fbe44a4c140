"""Local learning coefficients of chains, held against the joint law of a path and against chains."""

import json
from pathlib import Path

import numpy as np
import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.numbers.coefficient import learning_coefficient, variance_of_excess
from sgtheory.numbers.runs import Chain, Schedule
from sgtheory.onestep.full import full_step
from sgtheory.setting import Setting

A, C = np.array([[2, 1], [1, 1.5]]), np.array([[1, 0.25], [0.25, 2]])
START = np.array([0.3, -0.2])
PROBLEM = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 40, "S": 4,
    "start": {"theta": ["3/10", "-1/5"]},
}  # fmt: skip
LOCAL = PROBLEM | {"params": {"eps": "1/90", "beta": "1/3", "gamma": 5, "delta": 1}}
CASES = {
    "local_sgld": LOCAL,
    "sgd": PROBLEM | {"params": {"eps": "1/5"}},
    "momentum": PROBLEM | {"params": {"eps": "1/5", "mu": "3/10"}},
}


def along_the_path(sampler, content, burn_in, kept, every=1):
    """Mean and variance of the mean excess loss, by the law of all positions of a path at once."""
    problem, declared = sg.Problem.of(content), registry.sampler(sampler)
    one = full_step(Setting(declared, problem.model), problem.values(declared), "discrete")
    size, steps = len(one.M), burn_in + kept * every
    state = np.concatenate([START, np.zeros(size - 2)])
    mean, maps = [], []  # each position as a matrix on the noises of all steps
    variances, axes = np.linalg.eigh(one.Q)
    noise = axes * np.sqrt(np.maximum(variances, 0))
    now = np.zeros((size, steps * size))
    for t in range(steps):
        state, now = one.M @ state, one.M @ now
        now[:, t * size : (t + 1) * size] = noise
        if t + 1 > burn_in and (t + 1 - burn_in) % every == 0:
            mean.append(state[:2])
            maps.append(now[:2])
    m, T = np.concatenate(mean), np.concatenate(maps)
    cov, W = T @ T.T, np.kron(np.eye(kept), A) / kept
    moved = W @ cov
    return (np.trace(moved) + m @ W @ m) / 2, np.trace(moved @ moved) / 2 + m @ W @ cov @ W @ m


@pytest.mark.parametrize("sampler", CASES)
@pytest.mark.parametrize("schedule", [(0, 1), (0, 9), (4, 7), (2, 5, 3), (30, 20)])
def test_mean_and_scatter_are_those_of_the_whole_path(sampler, schedule):
    schedule, content = Schedule(*schedule), CASES[sampler]
    problem, declared = sg.Problem.of(content), registry.sampler(sampler)
    chain = Chain.of(Setting(declared, problem.model), problem.values(declared))
    mean, variance = along_the_path(sampler, content, schedule.burn_in, schedule.kept, schedule.every)
    found = chain.average(schedule)
    assert np.sum(A * (found.squares + found.mean_square)) / 2 == pytest.approx(mean, rel=1e-9)
    scale = 40 / 3 if sampler == "local_sgld" else 40
    assert variance_of_excess(chain, schedule) == pytest.approx(scale**2 * variance, rel=1e-8)
    if schedule.every == 1:
        told = learning_coefficient(sampler, content, draws=schedule.kept, burn_in=schedule.burn_in)
        assert told.expected == pytest.approx(scale * mean, rel=1e-9)
        assert told.scatter == pytest.approx(scale * variance**0.5, rel=1e-8)


def test_a_step_that_forgets_scatters_as_independent_draws():
    """At eps lambda = 1 a step's eigenvalue is zero, and all its powers: every draw is a new one."""
    content = {"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4, "params": {"eps": "1/2"}}
    one, many = (learning_coefficient("sgd", content, draws=n) for n in (1, 5))
    assert one.expected == pytest.approx(40 / 4 / 4, rel=1e-12)  # N A Sigma/2, Sigma = eps^2 C/S
    assert one.scatter == pytest.approx(2**0.5 * one.expected, rel=1e-12)
    assert many.scatter == pytest.approx(one.scatter / 5**0.5, rel=1e-12)


def test_a_wrong_twin_of_the_scatter_is_seen():
    """Draws that are taken to be independent scatter half as much here."""
    draws = 200
    told = learning_coefficient("local_sgld", LOCAL, draws=draws)
    single = learning_coefficient("local_sgld", LOCAL, draws=1, burn_in=5000)
    assert told.scatter > 2 * single.scatter / draws**0.5


def test_the_parts_are_the_closed_forms():
    """In modes: N beta a/(2 (N beta a + k)), and the variance of the recursion of one coordinate."""
    told = learning_coefficient("local_sgld", LOCAL, draws=50, burn_in=9)
    a, U = np.linalg.eigh(A)
    c, b, k, eps = np.diag(U.T @ C @ U), 40 / 3, 6.0, 1 / 90
    assert told.truth == 1
    assert told.localised == pytest.approx(np.sum(b * a / (b * a + k)) / 2, rel=1e-12)
    r = 1 - eps / 2 * (b * a + k)
    variance = (eps + (eps * b / 2) ** 2 * c / 4) / (1 - r**2)
    assert told.settled == pytest.approx(b * np.sum(a * variance) / 2, rel=1e-12)
    assert sum(told.parts.values()) == pytest.approx(told.expected - told.truth, abs=1e-12)


def test_weight_decay_on_data_pulls_the_estimate_up():
    """The mean that it moves away from the mode is counted: what settled draws give has its square."""
    data = {
        "model": "linear_regression",
        "X": [[1, 0], [1, 1], [0, 2]],
        "y": [5, 5, 2],
        "ridge": 1,
        "S": 1,
    }
    content = data | {"params": {"eps": "1/50", "beta": 1, "delta": 2}}
    law = sg.law("local_sgld", content)
    problem = sg.Problem.of(content)
    mode, A = (np.array(x, float) for x in (problem.examples.mode, problem.examples.A))
    away = law.mean["theta"] - mode
    settled = 3 * (np.sum(A * law.covariance["theta"]) + away @ A @ away) / 2
    told = learning_coefficient("local_sgld", content, draws=10)
    assert told.settled == pytest.approx(settled, rel=1e-9)
    assert away @ A @ away > 0.1 * np.sum(A * law.covariance["theta"])


def test_chains_scatter_as_foretold():
    """4,000 chains of our own ensemble: mean within 5 standard errors, deviation within 5 of its own."""
    rng, chains, draws = np.random.default_rng(5), 4000, 60
    theta, total = np.tile(START, (chains, 1)), np.zeros(chains)
    root = np.linalg.cholesky(C)
    for _ in range(draws):
        gradient = theta @ A + rng.normal(size=(chains, 2)) @ root.T / 2
        drift = 40 / 3 * gradient + 6 * theta
        theta = theta - drift / 180 + rng.normal(size=(chains, 2)) / 90**0.5
        total += 40 / 3 * np.einsum("ni,ij,nj->n", theta, A, theta) / 2 / draws
    told = learning_coefficient("local_sgld", LOCAL, draws=draws)
    assert abs(total.mean() - told.expected) < 5 * told.scatter / chains**0.5
    assert abs(total.std() / told.scatter - 1) < 5 * (2.0 / chains) ** 0.5


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"draws": 0}, UnusableInput, "at least one draw"),
        ({"burn_in": -1}, UnusableInput, "0 steps or more"),
        ({"problem": LOCAL | {"params": {"eps": 2, "beta": 1}}}, Unstable, "unstable"),
        ({"problem": {k: v for k, v in LOCAL.items() if k != "N"}}, UnusableInput, "N"),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_line(change, error, words):
    asked = {"sampler": "local_sgld", "problem": LOCAL, "draws": 5, "burn_in": 0} | change
    with pytest.raises(error, match=words):
        learning_coefficient(asked.pop("sampler"), asked.pop("problem"), **asked)


def test_advice_for_it_is_near_the_best_of_a_grid():
    """And its error is the one that is told of the same numbers."""
    fixed = {"beta": "1/7", "gamma": 1, "S": 2}
    problem = {k: v for k, v in PROBLEM.items() if k not in ("start", "S")}
    found = sg.advise(problem, passes=200, care="coefficient", start="mode", fixed=fixed)
    error, schedule = found.best.error, found.best.schedule

    def told(eps, burn_in, draws):
        numbers = {"S": 2, "params": {"beta": "1/7", "gamma": 1, "eps": eps}}
        return learning_coefficient("local_sgld", problem | numbers, draws=draws, burn_in=burn_in)

    again = told(found.best.params["eps"], schedule.burn_in, schedule.kept)
    assert error.scatter == pytest.approx(again.scatter, rel=1e-9)
    assert error.bias == pytest.approx(abs(again.expected - 1), rel=1e-6)
    steps, best = 200 * 40 // 2, np.inf
    for eps in np.geomspace(1e-4, 0.1, 25):
        for burn_in in (0, 40, 400):
            one = told(eps, burn_in, steps - burn_in)
            best = min(best, np.hypot(one.expected - 1, one.scatter))
    assert error.value < 1.05 * best


def test_advice_says_which_number_it_does_not_choose():
    problem = {k: v for k, v in PROBLEM.items() if k != "start"}
    with pytest.raises(UnusableInput, match="expected beta for local_sgld; got none"):
        sg.advise(problem, passes=50, care="coefficient", start="mode")


RUN = Path(__file__).parents[2] / "examples" / "learning_coefficient" / "devinterp_run.json"


@pytest.mark.parametrize("row", range(3))
def test_devinterp_finds_what_is_foretold(row):
    """Its estimates at three steps, of 2,000 chains each; it takes the loss before each step."""
    ran = json.loads(RUN.read_text())
    found, draws, chains = ran["rows"][row], ran["draws"], ran["chains"]
    content = {
        "hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 2]], "N": 1000, "S": 20,
        "params": {"eps": found["lr"], "beta": "1/7", "gamma": 30}, "start": {"theta": [0, 0]},
    }  # fmt: skip
    told, share = learning_coefficient("local_sgld", content, draws=draws - 1), (draws - 1) / draws
    assert abs(found["mean"] - share * told.expected) < 4 * told.scatter / chains**0.5
    assert abs(found["scatter"] / (share * told.scatter) - 1) < 5 * (2 / chains) ** 0.5
    wrong = learning_coefficient("local_sgld", content, draws=draws - 1, burn_in=10**6)
    assert row == 0 or abs(found["mean"] - wrong.expected) > 4 * told.scatter / chains**0.5
