# Stochastic gradient Fisher scoring with both matrices
# check: sgfs_scalar.py:step --like sgfs
import numpy as np


def step(theta, gradient, rng, eps, H, E):
    xi = rng.standard_normal(theta.shape)
    return theta - eps * gradient(theta) @ H.T + np.sqrt(eps) * xi @ (H @ E).T
