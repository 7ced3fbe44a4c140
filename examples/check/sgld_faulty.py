"""The same with one of the oldest mistakes: noise of standard deviation eps."""

import numpy as np


def step(theta, gradient, rng, eps, N, H):
    """It looks right, it runs, it comes to rest near the mode; it does not sample what it should."""
    noise = rng.standard_normal(theta.shape) @ np.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + eps * noise
