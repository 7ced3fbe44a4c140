# Momentum as a running mean of gradients: v = -lr m, so lr = eps/mu
# check: momentum_average.py:step --like momentum --with lr=eps/mu
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "m": np.zeros_like(theta)}


def step(state, gradient, rng, lr, mu):
    m = (1 - mu) * state["m"] + mu * gradient(state["theta"])
    return {"theta": state["theta"] - lr * m, "m": m}
