# BAOAB, a fresh minibatch for each kick
# check: baoab.py:baoab_step --like underdamped:BAOAB
import numpy as np


def init(theta, rng, tau):
    return {"theta": theta, "v": np.sqrt(tau) * rng.standard_normal(theta.shape)}


def baoab_step(state, gradient, rng, eps, gamma, tau, N):
    q, p = state["theta"], state["v"]
    p = p - 0.5 * eps * N * gradient(q)
    q = q + 0.5 * eps * p
    c = np.exp(-gamma * eps)
    p = c * p + np.sqrt(tau * (1 - c**2)) * rng.standard_normal(p.shape)
    q = q + 0.5 * eps * p
    p = p - 0.5 * eps * N * gradient(q)
    return {"theta": q, "v": p}
