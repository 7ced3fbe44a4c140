# SGLD that names the batch size without needing it
# check: sgld_unused.py:step --like sgld
import numpy as np


def step(theta, gradient, rng, eps, N, S):
    del S
    g = N * gradient(theta)
    return theta - eps / 2 * g + np.sqrt(eps) * rng.standard_normal(size=theta.shape)
