"""The multivariate stochastic gradient Nose-Hoover thermostat, one friction for every coordinate.

``u`` is the momentum, ``alpha`` its friction; ``beta`` is the inverse temperature.
"""

import numpy as np


def thermostat(state, gradient, rng, step_size, beta, N):
    theta, u, alpha = (state[k] for k in ("theta", "u", "alpha"))
    xi = rng.standard_normal(u.shape)
    u = u - step_size * alpha * u - step_size * N * gradient(theta) + np.sqrt(2 * step_size / beta) * xi
    theta = theta + step_size * u
    alpha = alpha + step_size * (u * u - beta)
    return {"theta": theta, "u": u, "alpha": alpha}
