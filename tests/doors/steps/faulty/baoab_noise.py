# BAOAB with 1 - c in place of 1 - c**2
# check: baoab_noise.py:step --like underdamped:BAOAB
# never: sghmc sgld sgnht momentum
# says: noise
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, gamma, tau, N):
    q, p = state["theta"], state["v"]
    p = p - eps / 2 * N * gradient(q)
    q = q + eps / 2 * p
    c = np.exp(-gamma * eps)
    p = c * p + np.sqrt(tau * (1 - c)) * rng.standard_normal(p.shape)
    q = q + eps / 2 * p
    p = p - eps / 2 * N * gradient(q)
    return {"theta": q, "v": p}
