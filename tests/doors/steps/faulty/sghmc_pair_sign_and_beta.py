# SGHMC with two faults: no friction on the velocity, and alpha + beta in the noise
# check: sghmc_pair_sign_and_beta.py:step --like sghmc
# never: sgld sgnht underdamped nesterov
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = np.sqrt(2 * (alpha + beta) * eta * tau) * rng.standard_normal(v.shape)
    return {"theta": theta + v, "v": v - eta * N * gradient(theta) + noise}
