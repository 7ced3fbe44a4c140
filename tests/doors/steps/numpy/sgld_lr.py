# SGLD whose step size is called lr; N is matched by its name
# check: sgld_lr.py:step --like sgld --with lr=eps
import numpy as np


def step(theta, gradient, rng, lr, N):
    return theta - lr / 2 * N * gradient(theta) + np.sqrt(lr) * rng.normal(size=theta.shape)
