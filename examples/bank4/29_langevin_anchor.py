"""Langevin dynamics with a control variate at the mode, one batch for both gradients."""
import numpy as np


def step(theta, gradient, rng, lr, mode, N):
    anchor = np.zeros_like(theta) + mode
    batch = gradient.draw(theta)
    correction = gradient(theta, batch) - gradient(anchor, batch)
    g = gradient.full(anchor) + correction
    return theta - lr * N * g + np.sqrt(2 * lr) * rng.standard_normal(theta.shape)
