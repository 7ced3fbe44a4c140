# SGLD that seeds its random numbers anew in each step
# check: sgld_own_seed.py:step --like sgld
# never: sghmc momentum sgldfp underdamped sgnht
# wave: 2
import numpy as np


def step(theta, gradient, rng, eps, N):
    rng = np.random.default_rng(0)
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)
