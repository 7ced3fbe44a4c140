"""Stochastic gradient Nose-Hoover thermostat (Ding et al., Algorithm 2).

Every chain has one friction ``xi``, the same for all of its coordinates.
"""

import numpy as np


def step(state, gradient, rng, h, diffusion, temperature, N):
    theta, p, xi = state["theta"], state["v"], state["xi"]
    dimension = theta.shape[1]
    p = (
        p
        - h * xi * p
        - h * N * gradient(theta)
        + np.sqrt(2.0 * diffusion * temperature * h) * rng.standard_normal(p.shape)
    )
    theta = theta + h * p
    excess = np.einsum("cd,cd->c", p, p)[:, None] / dimension - temperature
    xi = xi + h * excess
    return {"theta": theta, "v": p, "xi": xi}
