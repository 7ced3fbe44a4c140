"""Thermostat with one friction to a coordinate."""
import numpy as np


def step(state, gradient, rng, eta, inv_temp, N):
    theta, u, alpha = state["theta"], state["u"], state["alpha"]
    noise = np.sqrt(2 * eta / inv_temp) * rng.standard_normal(u.shape)
    u = u - eta * alpha * u - eta * N * gradient(theta) + noise
    theta = theta + eta * u
    alpha = alpha + eta * (u * u - 1 / inv_temp)
    return {"theta": theta, "u": u, "alpha": alpha}
