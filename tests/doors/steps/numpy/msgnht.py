# The thermostat with a friction for each coordinate
# check: msgnht.py:step --like msgnht
# wave: 2
import numpy as np


def step(state, gradient, rng, eta, beta, N):
    theta, u, alpha = state["theta"], state["u"], state["alpha"]
    u = (
        u
        - eta * alpha * u
        - eta * N * gradient(theta)
        + np.sqrt(2 * eta / beta) * rng.standard_normal(u.shape)
    )
    theta = theta + eta * u
    return {"theta": theta, "u": u, "alpha": alpha + eta * (u**2 - 1 / beta)}
