# SGLD that adds one number to all coordinates
# check: sgld_one_noise_for_all.py:step --like sgld
# never: sghmc momentum underdamped sgnht
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal((len(theta), 1))
