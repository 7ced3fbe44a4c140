# Momentum whose position moves with the old velocity
# check: momentum_old_velocity.py:step --like momentum
# never: sgld sgnht underdamped
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, mu):
    v = (1 - mu) * state["v"] - eps * gradient(state["theta"])
    return {"theta": state["theta"] + state["v"], "v": v}
