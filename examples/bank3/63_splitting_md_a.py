"""Molecular-dynamics integrators written as words over A, B and O."""
import numpy as np


class Integrator:
    def __init__(self, word, dt, friction, kT, force, rng):
        self.word, self.force, self.rng = word, force, rng
        self.tau = {letter: (dt if letter == 'B' else dt / word.count(letter)) for letter in set(word)}
        self.friction, self.kT = friction, kT

    def A(self, x, v, tau):
        return x + tau * v, v

    def B(self, x, v, tau):
        return x, v + tau * self.force(x)

    def O(self, x, v, tau):
        c1 = np.exp(-self.friction * tau)
        c2 = np.sqrt(self.kT * (1 - c1**2))
        return x, c1 * v + c2 * self.rng.normal(size=v.shape)

    def step(self, x, v):
        for letter in self.word:
            x, v = getattr(self, letter)(x, v, self.tau[letter])
        return x, v


def step(state, gradient, rng, dt, friction, kT, N):
    integrator = Integrator("BAOAB", dt, friction, kT, lambda x: -N * gradient(x), rng)
    x, v = integrator.step(state["theta"], state["v"])
    return {"theta": x, "v": v}
