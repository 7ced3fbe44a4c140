"""Adam, in the form with one scalar step size for both corrections."""
import numpy as np


def step(state, gradient, rng, alpha, beta1, beta2, eps, t):
    g = gradient(state["theta"])
    u = beta1 * state["u"] + (1 - beta1) * g
    v = beta2 * state["v"] + (1 - beta2) * g**2
    root = np.sqrt(1 - beta2 ** (t + 1))
    rate = alpha * root / (1 - beta1 ** (t + 1))
    theta = state["theta"] - rate * u / (np.sqrt(v) + eps * root)
    return {"theta": theta, "u": u, "v": v}
