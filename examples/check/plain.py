"""Stochastic gradient Langevin dynamics without a preconditioner, as most people write it."""

import numpy as np


def step(theta, gradient, rng, eps, N):
    """What has no name here has its declared default: H is the identity."""
    noise = rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise
