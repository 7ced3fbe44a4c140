"""Stochastic gradient Fisher scoring (Ahn, Korattikara and Welling) with a gain matrix H and a noise factor E.

The gain multiplies the gradient together with the noise, whose covariance before it is E E' / step.
"""

import numpy as np


def sgfs_step(theta, gradient, rng, step, H, E):
    xi = rng.standard_normal(theta.shape)
    driven = gradient(theta) @ H.T
    injected = xi @ E.T
    return theta - step * driven + np.sqrt(step) * injected
