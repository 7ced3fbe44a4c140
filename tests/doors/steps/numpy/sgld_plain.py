# SGLD as everyone writes it
# check: sgld_plain.py:step --like sgld
import numpy as np


def step(theta, gradient, rng, eps, N):
    noise = rng.standard_normal(theta.shape)
    return theta - 0.5 * eps * N * gradient(theta) + np.sqrt(eps) * noise
