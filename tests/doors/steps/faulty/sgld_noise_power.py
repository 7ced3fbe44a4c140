# SGLD whose noise has the standard deviation eps
# check: sgld_noise_power.py:step --like sgld
# never: sghmc momentum sgfs sgldfp underdamped sgnht
# says: sqrt\(eps\)
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + eps * rng.standard_normal(theta.shape)
