# pSGLD without its small term, as it is usually coded
# check: psgld.py:step --like psgld:no_gamma --with delta=lambda
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "V": np.zeros_like(theta)}


def step(state, gradient, rng, eps, alpha, delta, N):
    g = gradient(state["theta"])
    V = alpha * state["V"] + (1 - alpha) * g * g
    G = 1 / (delta + np.sqrt(V))
    noise = np.sqrt(eps * G) * rng.standard_normal(g.shape)
    return {"theta": state["theta"] - eps / 2 * G * N * g + noise, "V": V}
