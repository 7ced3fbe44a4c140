# SGLD with a preconditioner whose factor is the wrong way round
# check: sgld_transposed.py:step --like sgld
# never: sghmc momentum sgldfp underdamped sgnht
import numpy as np


def step(theta, gradient, rng, eps, N, H):
    noise = rng.standard_normal(theta.shape) @ np.linalg.cholesky(H)
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise
