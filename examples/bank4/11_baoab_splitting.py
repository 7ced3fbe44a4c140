"""BAOAB splitting of underdamped Langevin dynamics."""
import numpy as np


def step(state, gradient, rng, h, friction, temperature, N):
    q, p = state["theta"], state["v"]
    c = np.exp(-friction * h / 2)
    p = p - h / 2 * N * gradient(q)
    q = q + h / 2 * p
    p = c * p + np.sqrt(temperature * (1 - c**2)) * rng.standard_normal(p.shape)
    q = q + h / 2 * p
    p = p - h / 2 * N * gradient(q)
    return {"theta": q, "v": p}
