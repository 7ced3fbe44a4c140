# SGLD whose temperature has the default 2, which is what its caller gets
# check: sgld_hot_by_default.py:step --like sgld
# says: sqrt\(2\) times too large
# wave: 3
import numpy as np


def step(theta, gradient, rng, eps, N, temperature=2.0):
    noise = np.sqrt(temperature * eps) * rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + noise
