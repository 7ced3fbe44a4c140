"""SGHMC that draws a new velocity every L steps."""
import numpy as np


def step(state, gradient, rng, eta, alpha, beta, tau, L, N, t):
    theta, v = state["theta"], state["v"]
    if t % L == 0:
        v = np.sqrt(eta * tau) * rng.standard_normal(v.shape)
    g = N * gradient(theta)
    sd = np.sqrt(2 * (alpha - beta) * eta * tau)
    return {"theta": theta + v, "v": (1 - alpha) * v - eta * g + sd * rng.standard_normal(v.shape)}
