# SGLD that multiplies the gradient of the summed loss by N again
# check: sgld_sum_twice.py:step --like sgld --loss sum
# never: sghmc momentum sgldfp underdamped sgnht
# says: \bN\b
# wave: 2
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)
