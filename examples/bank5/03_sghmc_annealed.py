"""SGHMC with polynomially decreasing steps, eta_t = eta0 * (b + t) ** -c.

Position and velocity move together, both from the old values (Chen, Fox and Guestrin, Eq. 15, without an
estimate of the gradient noise).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PolynomialDecay:
    first: float
    offset: float
    power: float

    def at(self, t):
        return self.first / (self.offset + t) ** self.power


def step(state, gradient, rng, eta0, friction, temperature, b, c, N, t):
    eta = PolynomialDecay(eta0, b, c).at(t)
    q, p = state["theta"], state["v"]
    force = -N * gradient(q)
    kick = np.sqrt(2.0 * friction * eta * temperature) * rng.standard_normal(q.shape)
    return {"theta": q + p, "v": p - friction * p + eta * force + kick}
