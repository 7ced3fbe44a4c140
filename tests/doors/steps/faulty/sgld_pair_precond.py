# SGLD with two faults: H for its root in the noise, and eps where eps/2 should be
# check: sgld_pair_precond.py:step --like sgld
# never: sghmc momentum underdamped sgnht
import numpy as np


def step(theta, gradient, rng, eps, N, H):
    noise = rng.standard_normal(theta.shape) @ H
    return theta - eps * N * gradient(theta) @ H + np.sqrt(eps) * noise
