# SGLD made by functools.partial from something longer
# check: sgld_partial.py:step --like sgld
# wave: 2
from functools import partial

import numpy as np


def langevin(theta, gradient, rng, eps, N, temperature=1.0):
    noise = np.sqrt(eps * temperature) * rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + noise


step = partial(langevin, temperature=1.0)
