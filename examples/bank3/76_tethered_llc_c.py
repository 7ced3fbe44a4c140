"""Chains tied to an anchor by a spring, for estimates of the local learning coefficient."""
from dataclasses import dataclass

import numpy as np


@dataclass
class TetheredSGLD:
    anchor: np.ndarray
    eps: float
    elasticity: float
    inverse_temperature: float
    num_samples: int

    def potential_gradient(self, w, batch_gradient):
        tempered = self.inverse_temperature**2 * self.num_samples * batch_gradient
        return tempered + self.elasticity * (w - self.anchor)

    def sample(self, w, batch_gradient, rng):
        drift = -self.eps / 2 * self.potential_gradient(w, batch_gradient)
        return w + drift + rng.normal(scale=np.sqrt(self.eps), size=w.shape)


def step(theta, gradient, rng, eps, elasticity, inverse_temperature, N, mode):
    sampler = TetheredSGLD(mode, eps, elasticity, inverse_temperature, N)
    return sampler.sample(theta, gradient(theta), rng)
