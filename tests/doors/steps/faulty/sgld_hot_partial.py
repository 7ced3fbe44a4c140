# SGLD whose temperature is bound to 3
# check: sgld_hot_partial.py:step --like sgld
# says: sqrt\(eps\)
# wave: 3
from functools import partial

import numpy as np


def langevin(theta, gradient, rng, eps, N, temperature=1.0):
    noise = np.sqrt(temperature * eps) * rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + noise


step = partial(langevin, temperature=3.0)
