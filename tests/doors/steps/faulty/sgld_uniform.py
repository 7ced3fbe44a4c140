# SGLD with uniform numbers in place of normal ones
# check: sgld_uniform.py:step --like sgld
# never: sghmc momentum underdamped sgnht
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.random(theta.shape)
