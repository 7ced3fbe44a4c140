# SGLD as an object with a method step, which passes on whatever it is called with
# check: sgld_object.py:sampler --like sgld
# wave: 3
import numpy as np


class Sampler:
    def __init__(self):
        self.calls = 0

    def step(self, theta, gradient, rng, eps, N):
        self.calls += 1
        noise = np.sqrt(eps) * rng.standard_normal(theta.shape)
        return theta - eps / 2 * N * gradient(theta) + noise

    def __call__(self, *a, **k):
        return self.step(*a, **k)


sampler = Sampler()
