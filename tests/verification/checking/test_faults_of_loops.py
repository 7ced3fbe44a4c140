"""What loops around a step get wrong: groups, masks, micro-batches, paces, averages, decay."""

from pathlib import Path

import numpy as np
import pytest

from tests.verification.checking import declared_steps
from verification.checking import check

OWN = f"{Path(declared_steps.__file__)}:"
FEW = {"dimensions": (1, 2, 3, 2)}


def left_out(theta, gradient, rng, eps):
    moved = theta - eps * gradient(theta)
    moved[:, -1] = theta[:, -1]
    return moved


def masked(theta, gradient, rng, eps, N):
    mask = (np.arange(theta.shape[1]) < max(theta.shape[1] - 1, 1)).astype(float)
    noise = np.sqrt(eps) * rng.standard_normal(theta.shape)
    return theta + mask * (noise - eps / 2 * N * gradient(theta))


def overlapping(theta, gradient, rng, eps):
    g, half = gradient(theta), theta.shape[1] // 2
    moved = theta.copy()
    for part in (slice(0, half), slice(max(half - 1, 0), None)):
        moved[:, part] -= eps * g[:, part]
    return moved


def one_seed(theta, gradient, rng, eps, N):
    z, half = rng.standard_normal(theta.shape), theta.shape[1] // 2
    z[:, half : 2 * half] = z[:, :half]
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * z


def noise_twice(state, gradient, rng, eps, N):
    x, n = state["theta"], state["n"]
    z = rng.standard_normal(x.shape) if n % 2 == 0 else state["z"]
    return {"theta": x - eps / 2 * N * gradient(x) + np.sqrt(eps) * z, "n": n + 1, "z": z}


noise_twice.init = lambda theta, rng: {"theta": theta, "n": 0, "z": 0 * theta}


def fed_back(state, gradient, rng, eps):
    x, k = state["theta"] - eps * gradient(state["theta"]), state["n"]
    mean = (k * state["m"] + x) / (k + 1)
    return {"theta": mean, "m": mean, "n": k + 1}


fed_back.init = lambda theta, rng: {"theta": theta, "m": 0 * theta, "n": 0}


def after_each(state, gradient, rng, eps, mu):
    x, v = state["theta"], state["v"]
    for _ in range(2):
        v = (1 - mu) * v - eps * gradient(x) / 2
        x = x + v
    return {"theta": x, "v": v}


def exchanged(state, gradient, rng, eps, c):
    w = state["theta"] - c * eps * gradient(state["theta"])
    return {"theta": w - eps * gradient(w), "w": w}


def lagging(state, gradient, rng, eps, c):
    x = state["theta"]
    w = x - eps * gradient(x)
    return {"theta": w - c * eps * gradient(x), "w": w}


def decayed_twice(state, gradient, rng, eps, mu, wd):
    x, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * (gradient(x) + wd * x)
    return {"theta": x - eps * wd * x + v, "v": v}


def decoupled(state, gradient, rng, eps, mu, wd):
    x, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * gradient(x)
    return {"theta": x - eps * wd * x + v, "v": v}


def damps_all(state, gradient, rng, eta, alpha, N):
    z = np.sqrt(2 * alpha * eta) * rng.standard_normal(state["theta"].shape)
    v = (1 - alpha) * (state["v"] - eta * N * gradient(state["theta"]) + z)
    return {"theta": state["theta"] + v, "v": v}


def damped_twice(state, gradient, rng, eta, alpha, N):
    z = np.sqrt(2 * alpha * eta) * rng.standard_normal(state["theta"].shape)
    v = (1 - alpha) ** 2 * state["v"] - eta * N * gradient(state["theta"]) + z
    return {"theta": state["theta"] + v, "v": v}


def two_slips(state, gradient, rng, eps, mu, wd):
    x, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * (gradient(x) - wd * x)
    return {"theta": x + (1 - mu) * v, "v": v}


def damped_after(state, gradient, rng, eps, mu):
    v = (1 - mu) * (state["v"] - eps * gradient(state["theta"]))
    return {"theta": state["theta"] + v, "v": v}


def whole_noise(theta, gradient, rng, eps, N):
    z = np.trunc(rng.standard_normal(theta.shape))
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * z


def under_the_root(state, gradient, rng, eps, alpha, damping, N):
    g = gradient(state["theta"])
    V = alpha * state["V"] + (1 - alpha) * g * g
    G = 1 / np.sqrt(damping + V)
    noise = np.sqrt(eps * G) * rng.standard_normal(g.shape)
    return {"theta": state["theta"] - eps / 2 * G * N * g + noise, "V": V}


def shrunk_twice(theta, gradient, rng, lr, nbeta, weight_decay):
    x = theta * (1 - lr / 2 * weight_decay)
    drift = nbeta * gradient(theta) + weight_decay * x
    return x - lr / 2 * drift + np.sqrt(lr) * rng.standard_normal(theta.shape)


ROWS = [
    (left_out, "sgd", "the last coordinate is never updated"),
    (masked, "sgld", "the last coordinate, unless it is the only one, is never updated"),
    (overlapping, "sgd", "updated twice: groups overlap"),
    (one_seed, "sgld", "is the same in both halves of the coordinates"),
    (noise_twice, "sgld", "is used in two steps on end"),
    (fed_back, "averaged_sgd", "copied back into theta"),
    (after_each, OWN + "ACCUMULATED", "after each of the 2 minibatches with its part of the step"),
    (exchanged, OWN + "TWO_PACES", "exchanged"),
    (lagging, OWN + "TWO_PACES", "one iterate late"),
    (decayed_twice, OWN + "DECAYED", "it acts twice, coupled and decoupled"),
    (damped_after, "momentum", "The same law, so that it may be this: v is damped in theta as well"),
    (damped_after, "momentum", "is added to v first"),
    (two_slips, OWN + "DECAYED", "with eps = eps*(1 - mu), wd = -wd"),
    (whole_noise, "sgld", "a normal number cut off to a whole one"),
    (decoupled, OWN + "DECAYED", "it is decoupled"),
]


@pytest.mark.strong
@pytest.mark.parametrize(("step", "like", "words"), ROWS, ids=lambda x: getattr(x, "__name__", ""))
def test_what_a_loop_gets_wrong_is_named(step, like, words):
    found = check(step, like, **FEW)
    assert found.verdict == "deviates"
    assert words in found.diagnosis[0].words, found.diagnosis


def root_of_all(state, gradient, rng, eps, delta):
    g = gradient(state["theta"])
    V = state["V"] + g * g
    return {"theta": state["theta"] - eps * g / np.sqrt(V + delta), "V": V}


@pytest.mark.long
def test_moments_that_few_chains_make_do_not_hide_what_is_added_under_a_root():
    found = check(root_of_all, "adagrad", parameters={"delta": "lambda"}, **FEW)
    assert found.verdict == "deviates"
    assert "lambda is added under the root" in found.diagnosis[0].words, found.diagnosis


@pytest.mark.long
def test_what_is_added_under_a_root_is_named():
    found = check(under_the_root, "psgld:no_gamma", parameters={"damping": "lambda"}, **FEW)
    assert found.verdict == "deviates"
    assert "lambda is added under the root" in found.diagnosis[0].words, found.diagnosis


@pytest.mark.strong
def test_decay_of_the_position_and_in_the_gradient_is_named():
    called = {"lr": "eps", "nbeta": "N*beta", "weight_decay": "delta"}
    found = check(shrunk_twice, "local_sgld", parameters=called, fixed={"gamma": 0}, **FEW)
    assert found.verdict == "deviates"
    assert "acts twice: before the rest and in it" in found.diagnosis[0].words, found.diagnosis


@pytest.mark.strong
def test_friction_on_all_of_a_velocity_is_named_with_what_has_the_same_law():
    found = check(damps_all, "sghmc_velocity_first", fixed={"beta": 0, "tau": 1}, **FEW)
    assert found.verdict == "deviates"
    assert "friction also damps the gradient and the noise" in found.diagnosis[0].words
    assert "v is damped in theta as well" in found.diagnosis[0].words, found.diagnosis


@pytest.mark.strong
def test_a_factor_that_one_problem_does_not_show_is_named():
    fixed = {"beta": 0, "tau": 1}
    found = check(damped_twice, "sghmc_velocity_first", fixed=fixed, dimensions=(1, 2, 3, 5))
    assert found.verdict == "deviates"
    assert "factor (alpha - 1)**2, should be 1 - alpha" in found.diagnosis[0].words, found.diagnosis
