# OBABO at temperature 1, without a first state of its own
# check: obabo.py:step --like underdamped:OBABO --fix tau=1
import numpy as np


def step(state, gradient, rng, eps, gamma, N):
    q, p = state["theta"], state["v"]
    half = np.exp(-gamma * eps / 2)

    def refresh(p):
        return half * p + np.sqrt(1 - half**2) * rng.standard_normal(p.shape)

    p = refresh(p)
    p = p - eps / 2 * N * gradient(q)
    q = q + eps * p
    p = p - eps / 2 * N * gradient(q)
    return {"theta": q, "v": refresh(p)}
