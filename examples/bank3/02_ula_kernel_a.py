"""Unadjusted Langevin algorithm with a buffer for proposals."""
import numpy as np


class ULAKernel:
    """x' = x - gamma grad U(x) + sqrt(2 gamma) z"""

    def __init__(self, gamma):
        self.gamma = gamma
        self.scale = np.sqrt(2 * gamma)
        self._buffer = None

    def noise(self, rng, shape):
        if self._buffer is None or self._buffer.shape != shape:
            self._buffer = rng.standard_normal(shape)
        return self._buffer

    def __call__(self, x, grad_u, rng):
        return x - self.gamma * grad_u + self.scale * self.noise(rng, x.shape)


_KERNELS = {}


def step(theta, gradient, rng, gamma, N):
    kernel = _KERNELS.setdefault(gamma, ULAKernel(gamma))
    return kernel(theta, N * gradient(theta), rng)
