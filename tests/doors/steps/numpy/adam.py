# Adam with a counter in its state
# check: adam.py:step --like adam --with lr=eta --with beta1=1-b1 --with beta2=sigma --with delta=lambda
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "m": np.zeros_like(theta), "v": np.zeros_like(theta), "t": 0}


def step(state, gradient, rng, lr, beta1, beta2, delta):
    t = state["t"] + 1
    g = gradient(state["theta"])
    m = beta1 * state["m"] + (1 - beta1) * g
    v = beta2 * state["v"] + (1 - beta2) * g**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return {"theta": state["theta"] - lr * m_hat / (np.sqrt(v_hat) + delta), "m": m, "v": v, "t": t}
