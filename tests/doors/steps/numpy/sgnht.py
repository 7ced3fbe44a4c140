# The Nose-Hoover thermostat with one friction for each chain
# check: sgnht.py:step --like sgnht
import numpy as np


def init(theta, rng, a):
    return {"theta": theta, "v": rng.standard_normal(theta.shape), "xi": np.full((len(theta), 1), a)}


def step(state, gradient, rng, eta, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    noise = np.sqrt(2 * a * eta * tau) * rng.standard_normal(v.shape)
    v = v - eta * xi * v - eta * N * gradient(theta) + noise
    theta = theta + eta * v
    xi = xi + eta * ((v * v).mean(axis=1, keepdims=True) - tau)
    return {"theta": theta, "v": v, "xi": xi}
