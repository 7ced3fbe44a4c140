"""SGLD with a constant positive definite preconditioner H, of all coordinates together.

The noise needs any square root of H; that of Cholesky is the cheapest.
"""

import numpy as np


def gaussian(rng, root, shape):
    return rng.standard_normal(shape) @ root.T


def sgld_precond(theta, gradient, rng, h, H, num_data):
    root = np.linalg.cholesky(H)
    drift = -num_data * gradient(theta) @ H.T
    return theta + h * drift + np.sqrt(2.0 * h) * gaussian(rng, root, theta.shape)
