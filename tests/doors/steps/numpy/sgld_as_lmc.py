# SGLD in the letters of Brosse et al., gamma = eps/2, which the sampler accepts too
# check: sgld_as_lmc.py:step --like sgld
import numpy as np


def step(theta, gradient, rng, gamma, N):
    return theta - gamma * N * gradient(theta) + np.sqrt(2 * gamma) * rng.standard_normal(theta.shape)
