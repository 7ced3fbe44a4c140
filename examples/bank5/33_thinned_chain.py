"""SGLD, thinned: of every two iterates only the second is handed back."""

import numpy as np

THIN = 2


def two_steps(theta, gradient, rng, eps, N):
    noise = rng.standard_normal((THIN, *theta.shape))
    force = -N * gradient(theta)
    for k in range(THIN):
        theta = theta + eps / 2 * force + np.sqrt(eps) * noise[k]
    return theta
