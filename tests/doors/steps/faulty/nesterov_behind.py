# Nesterov with the gradient at theta - (1 - mu) v
# check: nesterov_behind.py:step --like nesterov
# never: sghmc sgld sgnht underdamped
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, mu):
    theta, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * gradient(theta - (1 - mu) * v)
    return {"theta": theta + v, "v": v}
