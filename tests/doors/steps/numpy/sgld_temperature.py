# SGLD with a temperature whose default is one
# check: sgld_temperature.py:step --like sgld
# wave: 3
import numpy as np


def step(theta, gradient, rng, eps, N, temperature=1.0):
    noise = np.sqrt(temperature * eps) * rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + noise
