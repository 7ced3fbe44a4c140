# SGLD with decreasing steps and a counter
# check: sgld_decreasing.py:step --like sgld_decreasing
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "t": 0}


def step(state, gradient, rng, eps, b, c, N):
    theta, t = state["theta"], state["t"]
    e = eps * (b + t) ** (-c)
    theta = theta - e / 2 * N * gradient(theta) + np.sqrt(e) * rng.standard_normal(theta.shape)
    return {"theta": theta, "t": t + 1}
