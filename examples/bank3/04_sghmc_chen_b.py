"""SGHMC in the form with momentum (Chen, Fox and Guestrin 2014, Eq. 15), without a noise estimate."""
import numpy as np


class SGHMC:
    def __init__(self, grad_u, alpha, eta, temperature, rng):
        self.grad_u = grad_u
        self.alpha, self.eta, self.temperature = alpha, eta, temperature
        self.sigma = np.sqrt(alpha * eta * temperature)
        self.rng = rng

    def step(self, theta, v):
        v = (1 - self.alpha) * v
        v -= self.eta * self.grad_u(theta)
        v += self.sigma * self.rng.standard_normal(v.shape)
        return theta + (1 - self.alpha) * v, v

    def run(self, theta, v, steps=1):
        for _ in range(steps):
            theta, v = self.step(theta, v)
        return theta, v


def step(state, gradient, rng, alpha, eta, temperature, N):
    chain = SGHMC(lambda x: N * gradient(x), alpha, eta, temperature, rng)
    theta, v = chain.run(state["theta"], state["v"])
    return {"theta": theta, "v": v}
