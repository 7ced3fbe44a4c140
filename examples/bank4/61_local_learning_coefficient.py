"""SGLD tethered to its centre, for the local learning coefficient."""
import numpy as np


def step(theta, gradient, rng, eps, nbeta, localization, weight_decay, mode):
    dw = -eps / 2 * (weight_decay * theta + localization * (theta - mode) + nbeta * gradient(theta))
    return theta + dw + np.sqrt(eps) * rng.standard_normal(theta.shape)
