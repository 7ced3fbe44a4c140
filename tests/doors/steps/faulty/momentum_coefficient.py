# Momentum with mu where 1 - mu should be
# check: momentum_coefficient.py:step --like momentum
# never: sghmc sgld sgnht underdamped
# says: mu
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, mu):
    v = mu * state["v"] - eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
