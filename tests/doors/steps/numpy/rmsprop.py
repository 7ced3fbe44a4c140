# RMSprop, its small number called delta
# check: rmsprop.py:step --like rmsprop --with lr=eps --with delta=lambda
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "V": np.zeros_like(theta)}


def step(state, gradient, rng, lr, alpha, delta):
    g = gradient(state["theta"])
    V = alpha * state["V"] + (1 - alpha) * g**2
    return {"theta": state["theta"] - lr * g / (delta + np.sqrt(V)), "V": V}
