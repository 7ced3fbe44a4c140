"""SGLD, vectorised over chains."""
import numpy as np


def step(theta, gradient, rng, h, N):
    dim = theta.shape[-1]
    xi = rng.standard_normal(dim)
    g = gradient(theta)
    return theta - h / 2 * N * g + np.sqrt(h) * xi
