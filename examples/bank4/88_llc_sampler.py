"""Localised SGLD, as used for the local learning coefficient."""
import numpy as np


def step(theta, gradient, rng, lr, nbeta, localization, weight_decay, mode):
    force = nbeta * gradient(theta)
    force = force + weight_decay * theta
    force = force + localization * (mode - theta)
    return theta - lr / 2 * force + np.sqrt(lr) * rng.standard_normal(theta.shape)
