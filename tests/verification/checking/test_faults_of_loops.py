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


def two_slips(state, gradient, rng, eps, mu, wd):
    x, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * (gradient(x) - wd * x)
    return {"theta": x + (1 - mu) * v, "v": v}


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
    (two_slips, OWN + "DECAYED", "v is damped in theta as well"),
    (two_slips, OWN + "DECAYED", "should be -eps*wd: the sign is wrong"),
    (decoupled, OWN + "DECAYED", "it is decoupled"),
]


@pytest.mark.strong
@pytest.mark.parametrize(("step", "like", "words"), ROWS, ids=lambda x: getattr(x, "__name__", ""))
def test_what_a_loop_gets_wrong_is_named(step, like, words):
    found = check(step, like, **FEW)
    assert found.verdict == "deviates"
    assert words in found.diagnosis[0].words, found.diagnosis
