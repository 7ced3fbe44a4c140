# SGD with a preconditioner by matmul on columns
# check: sgd_matmul.py:step --like sgd
# wave: 2
import numpy as np


def step(theta, gradient, rng, eps, H):
    return theta - eps * np.matmul(H, gradient(theta)[..., None])[..., 0]
