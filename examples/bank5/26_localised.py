"""SGLD localised to a trained point, as it is used to estimate local learning coefficients.

The log density is -nbeta * L(w) - localization / 2 * |w - w0|^2 - weight_decay / 2 * |w|^2, and each of its
gradients is multiplied by half of the step.
"""

import numpy as np


def llc_sgld(w, gradient, rng, lr, nbeta, localization, weight_decay, w0):
    drift = nbeta * gradient(w) + weight_decay * w
    w_new = w - 0.5 * lr * drift
    w_new = w_new - lr * localization * (w - w0)
    return w_new + np.sqrt(lr) * rng.standard_normal(w.shape)
