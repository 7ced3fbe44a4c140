"""SGLD for a loss with a Gaussian prior: the mean loss has weight_decay / 2 * |theta|^2 added to it."""

import numpy as np


def step(theta, gradient, rng, lr, weight_decay, N):
    scaled = lr * N / 2
    theta_new = theta - scaled * gradient(theta)
    theta_new -= lr * weight_decay * theta
    return theta_new + np.sqrt(lr) * rng.standard_normal(theta.shape)
