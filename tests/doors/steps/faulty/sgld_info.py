# SGLD that returns something beside its state
# check: sgld_info.py:step --like sgld
# verdict: crashed
# says: returned a tuple of 2 .ndarray, dict.: return an array
# wave: 3
import numpy as np


def step(theta, gradient, rng, eps, N):
    g = gradient(theta)
    noise = np.sqrt(eps) * rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * g + noise, {"grad_norm": np.linalg.norm(g)}
