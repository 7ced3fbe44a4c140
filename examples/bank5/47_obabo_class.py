"""Kinetic Langevin dynamics by OBABO, with a fresh minibatch for either kick."""

import numpy as np


class OBABO:
    """The integrator at fixed step, friction and temperature; masses are one."""

    def __init__(self, dt, friction, kT, force, rng):
        self.dt, self.force, self.rng = dt, force, rng
        self.c1 = np.exp(-0.5 * friction * dt)
        self.c2 = np.sqrt(kT * (1 - self.c1 * self.c1))

    def O(self, q, p):
        return q, self.c1 * p + self.c2 * self.rng.standard_normal(p.shape)

    def B(self, q, p):
        return q, p + 0.5 * self.dt * self.force(q)

    def A(self, q, p):
        return q + self.dt * p, p

    def run(self, q, p):
        for letter in "OBABO":
            q, p = getattr(self, letter)(q, p)
        return q, p


def integrate(state, gradient, rng, dt, friction, kT, n_data):
    scheme = OBABO(dt, friction, kT, lambda q: -n_data * gradient(q), rng)
    q, p = scheme.run(state["theta"], state["v"])
    return {"theta": q, "v": p}
