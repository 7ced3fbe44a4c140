# Nesterov: the gradient where momentum would bring it
# check: nesterov.py:step --like nesterov
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, mu):
    theta, v = state["theta"], state["v"]
    ahead = theta + (1 - mu) * v
    v = (1 - mu) * v - eps * gradient(ahead)
    return {"theta": theta + v, "v": v}
