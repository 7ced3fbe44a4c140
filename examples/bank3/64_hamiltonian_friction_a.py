"""SGHMC as discretised Langevin dynamics: step h, friction c, temperature kT, unit mass."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Dynamics:
    h: float
    c: float
    kT: float

    def kick(self, p, force, rng):
        thermal = np.sqrt(2.0 * self.c * self.kT * self.h)
        return p + self.h * force - self.h * self.c * p + thermal * rng.standard_normal(p.shape)

    def drift(self, q, p):
        return q + self.h * p


def step(state, gradient, rng, h, c, kT, N):
    dynamics = Dynamics(h, c, kT)
    q, p = state["theta"], state["v"] / h  # the state keeps the displacement h p
    p = dynamics.kick(p, -N * gradient(q), rng)
    return {"theta": dynamics.drift(q, p), "v": h * p}
