# SGLD without the N that a mean loss needs
# check: sgld_no_n.py:step --like sgld
# never: sghmc momentum sgldfp underdamped sgnht
# says: \bN\b
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)
