"""SGHMC as an object that holds position and velocity."""
import numpy as np


class SGHMC:
    def __init__(self, theta, v):
        self.theta, self.v = theta, v

    def advance(self, grad, rng, eta, friction, temperature):
        sd = np.sqrt(2 * friction * temperature * eta)
        old = self.v
        self.v = old - friction * old - eta * grad + sd * rng.standard_normal(old.shape)
        self.theta = self.theta + old
        return self


def step(state, gradient, rng, eta, friction, temperature, N):
    sampler = SGHMC(state["theta"], state["v"])
    sampler.advance(N * gradient(sampler.theta), rng, eta, friction, temperature)
    return {"theta": sampler.theta, "v": sampler.v}
