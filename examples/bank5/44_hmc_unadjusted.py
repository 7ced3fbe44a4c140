"""Hamiltonian Monte Carlo without the accept-reject test, on the full gradient, two leapfrog steps of unit mass."""

import numpy as np


def verlet(x, p, grad, h):
    p_half = p - 0.5 * h * grad(x)
    x = x + h * p_half
    return x, p_half - 0.5 * h * grad(x)


def hmc(state, gradient, rng, h, num_data):
    def grad_potential(x):
        return num_data * gradient.full(x)

    x = state["theta"]
    p = rng.normal(size=x.shape)
    for _ in range(2):
        x, p = verlet(x, p, grad_potential, h)
    return {"theta": x, "v": p}
