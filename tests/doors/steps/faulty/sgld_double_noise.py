# SGLD with keyword-only parameters and the noise of the other convention
# check: sgld_double_noise.py:step --like sgld
# never: sghmc momentum sgldfp underdamped sgnht
# says: (2|two|twice|double|sqrt)
# wave: 2
import numpy as np


def step(theta, gradient, rng, *, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(2 * eps) * rng.standard_normal(theta.shape)
