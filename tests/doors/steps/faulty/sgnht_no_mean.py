# The thermostat with the sum of squares where their mean should be
# check: sgnht_no_mean.py:step --like sgnht
# never: sghmc sgld underdamped momentum
import numpy as np


def init(theta, rng, a):
    return {"theta": theta, "v": np.zeros_like(theta), "xi": np.full((len(theta), 1), a)}


def step(state, gradient, rng, eta, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    v = v - eta * xi * v - eta * N * gradient(theta)
    v = v + np.sqrt(2 * a * eta * tau) * rng.standard_normal(v.shape)
    theta = theta + eta * v
    xi = xi + eta * ((v * v).sum(axis=1, keepdims=True) - tau)
    return {"theta": theta, "v": v, "xi": xi}
