# SGLD as a method of an object
# check: sgld_method.py:sampler.step --like sgld
# wave: 2
import numpy as np


class Sampler:
    def __init__(self, scale):
        self.scale = scale

    def step(self, theta, gradient, rng, eps, N):
        noise = self.scale * rng.standard_normal(theta.shape)
        return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise


sampler = Sampler(1.0)
