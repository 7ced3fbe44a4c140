"""Tempered SGHMC, velocity first, no estimate of the gradient's noise."""
import numpy as np


class TemperedSGHMC:
    def __init__(self, eta, alpha, temperature, N):
        self.eta, self.alpha, self.temperature, self.N = eta, alpha, temperature, N

    def sample(self, theta, v, gradient, rng):
        sd = np.sqrt(2 * self.alpha * self.eta / self.temperature)
        v = v - self.alpha * v - self.eta * self.N * gradient(theta) + sd * rng.standard_normal(v.shape)
        return theta + v, v


def step(state, gradient, rng, eta, alpha, temperature, N):
    sampler = TemperedSGHMC(eta, alpha, temperature, N)
    theta, v = sampler.sample(state["theta"], state["v"], gradient, rng)
    return {"theta": theta, "v": v}
