"""SGLD with control variates centred at the mode."""
import numpy as np


def step(theta, gradient, rng, lr, mode, N):
    centre = np.broadcast_to(mode, theta.shape)
    estimate = gradient.full(centre) + gradient(theta) - gradient(centre)
    return theta - lr * N * estimate + np.sqrt(2 * lr) * rng.standard_normal(theta.shape)
