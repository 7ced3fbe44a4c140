# Heavy ball with the velocity in a dict
# check: momentum_dict.py:step --like momentum
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, mu):
    v = (1 - mu) * state["v"] - eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
