"""OBABO integrator: half thermostat, leapfrog, half thermostat."""
import numpy as np


def step(state, gradient, rng, step_size, gamma, tau, N):
    theta, v = state["theta"], state["v"]
    c = np.exp(-0.5 * gamma * step_size)
    kick = np.sqrt(tau * (1 - c * c)) * rng.standard_normal(v.shape)
    v = c * v + kick
    v = v - 0.5 * step_size * N * gradient(theta)
    theta = theta + step_size * v
    v = v - 0.5 * step_size * N * gradient(theta)
    v = c * v + kick
    return {"theta": theta, "v": v}
