# SGHMC whose noise lacks the friction
# check: sghmc_no_friction_in_noise.py:step --like sghmc_velocity_first
# never: sgld sgnht underdamped nesterov
# says: noise
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eta, alpha, beta, tau, N):
    v = (1 - alpha) * state["v"] - eta * N * gradient(state["theta"])
    v = v + np.sqrt(2 * eta * tau) * rng.standard_normal(v.shape)
    return {"theta": state["theta"] + v, "v": v}
