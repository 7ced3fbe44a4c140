"""SGHMC whose momentum is drawn anew every ``resample_every`` steps (Chen et al., Algorithm 2).

Between two refreshments the position moves with the velocity that it has and the velocity takes up friction, gradient and noise.
"""

import numpy as np


def sghmc_resampled(state, gradient, rng, eta, friction, resample_every, tau, N, t):
    theta, v = state["theta"], state["v"]
    if t % resample_every == 0:
        v = np.sqrt(tau) * rng.standard_normal(theta.shape)
    grad = gradient(theta)
    sigma = np.sqrt(friction * eta * tau)
    return {
        "theta": theta + v,
        "v": (1 - friction) * v - eta * N * grad + sigma * rng.standard_normal(theta.shape),
    }
