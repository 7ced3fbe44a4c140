"""Stochastic gradient Nose-Hoover thermostat (Ding et al. 2014)."""
import numpy as np


class Thermostat:
    """One variable xi for each chain that holds the kinetic energy at its mean."""

    def __init__(self, h, A):
        self.h, self.A = h, A

    def advance(self, q, p, xi, grad_u, rng):
        p = p - self.h * grad_u - self.h * xi * p
        p += np.sqrt(2 * self.A * self.h) * rng.standard_normal(p.shape)
        q = q + self.h * p
        kinetic = np.mean(p * p, axis=1, keepdims=True)
        xi = xi + self.h * (kinetic - 1.0)
        return q, p, xi


def step(state, gradient, rng, h, A, N):
    q, p, xi = Thermostat(h, A).advance(
        state["theta"], state["p"], state["xi"], N * gradient(state["theta"]), rng
    )
    return {"theta": q, "p": p, "xi": xi}
