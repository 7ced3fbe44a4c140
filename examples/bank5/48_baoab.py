"""BAOAB, stochastic gradients, unit masses."""

import numpy as np


def baoab_step(state, gradient, rng, eps, gamma, tau, N):
    x, v = state["theta"], state["v"]
    half = eps / 2
    c = np.exp(-gamma * eps)
    sigma = np.sqrt(tau * (1.0 - c))

    v = v - half * N * gradient(x)
    x = x + half * v
    v = c * v + sigma * rng.standard_normal(v.shape)
    x = x + half * v
    v = v - half * N * gradient(x)
    return {"theta": x, "v": v}
