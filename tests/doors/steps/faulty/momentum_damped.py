# Momentum whose gradient is damped too, without being told so
# check: momentum_damped.py:step --like momentum
# never: sghmc sgld sgnht underdamped
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, mu):
    v = (1 - mu) * state["v"] - mu * eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
