"""Stochastic gradient Nose-Hoover thermostat with one scalar friction."""
import numpy as np


def step(state, gradient, rng, eta, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    noise = np.sqrt(2 * a * eta * tau) * rng.standard_normal(v.shape)
    v = v - eta * xi * v - eta * N * gradient(theta) + noise
    theta = theta + eta * v
    kinetic = np.sum(v**2, axis=1, keepdims=True)
    xi = xi + eta * (kinetic - tau)
    return {"theta": theta, "v": v, "xi": xi}
