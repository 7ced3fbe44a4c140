"""Underdamped Langevin dynamics with the OBABO splitting (Bussi and Parrinello), unit masses.

A step is half of the thermostat, a velocity Verlet step and the other half of the thermostat. Each kick
sees a minibatch of its own.
"""

import numpy as np


class Thermostat:
    def __init__(self, friction, temperature, dt):
        self.keep = np.exp(-friction * dt)
        self.spread = np.sqrt(temperature * (1.0 - self.keep**2))

    def __call__(self, v, rng):
        return self.keep * v + self.spread * rng.standard_normal(v.shape)


def obabo(state, gradient, rng, dt, friction, temperature, N):
    x, v = state["theta"], state["v"]
    thermostat = Thermostat(friction, temperature, dt)
    v = thermostat(v, rng)
    v = v - 0.5 * dt * N * gradient(x)
    x = x + dt * v
    v = v - 0.5 * dt * N * gradient(x)
    v = thermostat(v, rng)
    return {"theta": x, "v": v}
