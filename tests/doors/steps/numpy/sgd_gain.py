# SGD with a gain matrix and no step size besides
# check: sgd_gain.py:step --like sgd
import numpy as np


def step(theta, gradient, rng, H):
    return theta - np.einsum("ij,nj->ni", H, gradient(theta))
