"""SGLD at a temperature T: the stationary law is near exp(-U / T), T < 1 is a cold posterior."""

import numpy as np


def tempered_step(theta, gradient, rng, lr, T, N):
    amplitude = T * np.sqrt(2 * lr)
    return theta - lr * N * gradient(theta) + amplitude * rng.standard_normal(theta.shape)
