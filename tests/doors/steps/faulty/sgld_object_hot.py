# SGLD as an object with a method step, whose noise has twice its variance
# check: sgld_object_hot.py:sampler --like sgld
# says: sqrt\(2\) times too large
# wave: 3
import numpy as np


class Sampler:
    def __init__(self):
        self.calls = 0

    def step(self, theta, gradient, rng, eps, N):
        self.calls += 1
        noise = np.sqrt(2 * eps) * rng.standard_normal(theta.shape)
        return theta - eps / 2 * N * gradient(theta) + noise

    def __call__(self, *a, **k):
        return self.step(*a, **k)


sampler = Sampler()
