# SGLD on the gradient of the summed loss
# check: sgld_sum_loss.py:step --like sgld --loss sum
# wave: 2
import numpy as np


def step(theta, gradient, rng, eps):
    return theta - eps / 2 * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)
