"""ABOBA: drift, kick, thermostat, kick, drift."""
import numpy as np


def step(state, gradient, rng, h, gamma, tau, N):
    theta, v = state["theta"], state["v"]
    damp = np.exp(-gamma * h)

    def kick(v):
        return v - h / 2 * N * gradient(theta)

    theta = theta + h / 2 * v
    v = kick(v)
    v = damp * v + np.sqrt(tau) * np.sqrt(1 - damp**2) * rng.standard_normal(v.shape)
    v = kick(v)
    theta = theta + h / 2 * v
    return {"theta": theta, "v": v}
