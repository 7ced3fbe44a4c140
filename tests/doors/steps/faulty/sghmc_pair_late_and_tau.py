# SGHMC with two faults: the gradient after the position has moved, and tau for its root
# check: sghmc_pair_late_and_tau.py:step --like sghmc
# never: sgld sgnht underdamped nesterov
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    theta = theta + v
    noise = np.sqrt(2 * (alpha - beta) * eta) * tau * rng.standard_normal(v.shape)
    return {"theta": theta, "v": (1 - alpha) * v - eta * N * gradient(theta) + noise}
