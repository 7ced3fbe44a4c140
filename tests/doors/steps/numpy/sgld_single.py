# SGLD in single precision
# check: sgld_single.py:step --like sgld
# wave: 2
import numpy as np


def step(theta, gradient, rng, eps, N):
    noise = rng.standard_normal(theta.shape, dtype=np.float32)
    return (theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise).astype(np.float32)
