# SGLD with NumPy's global random numbers
# check: sgld_global_random.py:step --like sgld
# wave: 2
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * np.random.randn(*theta.shape)
