# SGLD with eps where eps/2 should be
# check: sgld_whole_step.py:step --like sgld
# never: sghmc momentum sgldfp underdamped sgnht
# says: (2|two|twice|double|half)
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)
