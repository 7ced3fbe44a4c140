# SGLD with gamma = eps/2, said with --with; N is matched by its name
# check: sgld_gamma_with.py:step --like sgld --with gamma=eps/2
import numpy as np


def step(theta, gradient, rng, gamma, N):
    return theta - gamma * N * gradient(theta) + np.sqrt(2 * gamma) * rng.standard_normal(theta.shape)
