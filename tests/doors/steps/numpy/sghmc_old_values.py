# SGHMC: both lines with the old values
# check: sghmc_old_values.py:step --like sghmc
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = np.sqrt(2 * (alpha - beta) * eta * tau) * rng.standard_normal(v.shape)
    return dict(theta=theta + v, v=v - eta * N * gradient(theta) - alpha * v + noise)
