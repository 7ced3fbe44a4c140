# SGLD with a preconditioner and the symmetric root of it
# check: sgld_preconditioned.py:step --like sgld
import numpy as np
from scipy.linalg import sqrtm


def step(theta, gradient, rng, eps, N, H):
    root = np.real(sqrtm(H))
    noise = rng.standard_normal(theta.shape) @ root
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise
