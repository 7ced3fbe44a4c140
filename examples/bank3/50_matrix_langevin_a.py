"""Stochastic gradient Langevin dynamics with a constant gain matrix."""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class LangevinConfig:
    eps: float
    num_data: int
    gain: np.ndarray


@dataclass
class MatrixLangevin:
    """theta <- theta - eps/2 G grad U + N(0, eps G)"""

    config: LangevinConfig
    factor: np.ndarray = field(init=False)

    def __post_init__(self):
        self.factor = np.linalg.cholesky(self.config.gain)

    def drift(self, grad):
        return -0.5 * self.config.eps * self.config.num_data * grad @ self.config.gain.T

    def diffusion(self, rng, shape):
        z = rng.standard_normal(shape)
        return np.sqrt(self.config.eps) * np.einsum("ij,cj->ci", self.factor, z)

    def advance(self, theta, grad, rng):
        return theta + self.drift(grad) + self.diffusion(rng, theta.shape)


def step(theta, gradient, rng, eps, N, preconditioner):
    sampler = MatrixLangevin(LangevinConfig(eps, N, preconditioner))
    return sampler.advance(theta, gradient(theta), rng)
