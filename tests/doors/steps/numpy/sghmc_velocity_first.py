# SGHMC as it is usually coded: the new velocity moves the position; no estimate of the noise, temperature 1
# check: sghmc_velocity_first.py:step --like sghmc_velocity_first --fix beta=0 --fix tau=1
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eta, alpha, N):
    theta, v = state["theta"], state["v"]
    v = (1 - alpha) * v - eta * N * gradient(theta) + np.sqrt(2 * alpha * eta) * rng.normal(size=v.shape)
    return {"theta": theta + v, "v": v}
