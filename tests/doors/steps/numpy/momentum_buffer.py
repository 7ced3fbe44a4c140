# Momentum as deep learning writes it: a buffer of gradients, lr and momentum
# check: momentum_buffer.py:step --like momentum --with lr=eps --with momentum=1-mu
import numpy as np


def init(theta, rng):
    return {"theta": theta, "buf": np.zeros_like(theta)}


def step(state, gradient, rng, lr, momentum):
    buf = momentum * state["buf"] + gradient(state["theta"])
    return {"theta": state["theta"] - lr * buf, "buf": buf}
