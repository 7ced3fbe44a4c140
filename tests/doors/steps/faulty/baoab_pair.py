# BAOAB with two faults: tau for its root, and half the friction
# check: baoab_pair.py:step --like underdamped:BAOAB
# never: sghmc sgld sgnht momentum
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, gamma, tau, N):
    q, p = state["theta"], state["v"]
    p = p - eps / 2 * N * gradient(q)
    q = q + eps / 2 * p
    c = np.exp(-gamma * eps / 2)
    p = c * p + tau * np.sqrt(1 - c**2) * rng.standard_normal(p.shape)
    q = q + eps / 2 * p
    p = p - eps / 2 * N * gradient(q)
    return {"theta": q, "v": p}
