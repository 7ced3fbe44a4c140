# Adam without the correction of its first steps
# check: adam_no_correction.py:step --like adam --with lr=eta --with beta1=1-b1 --with beta2=sigma --with delta=lambda
# never: sgld momentum sghmc rmsprop
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "m": np.zeros_like(theta), "v": np.zeros_like(theta)}


def step(state, gradient, rng, lr, beta1, beta2, delta):
    g = gradient(state["theta"])
    m = beta1 * state["m"] + (1 - beta1) * g
    v = beta2 * state["v"] + (1 - beta2) * g**2
    return {"theta": state["theta"] - lr * m / (np.sqrt(v) + delta), "m": m, "v": v}
