# SGLD as an object that is called
# check: sgld_callable.py:sampler --like sgld
# wave: 2
import numpy as np


class SGLD:
    def __call__(self, theta, gradient, rng, eps, N):
        return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)


sampler = SGLD()
