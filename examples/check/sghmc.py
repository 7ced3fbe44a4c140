"""Stochastic gradient Hamiltonian Monte Carlo: a state with names, and a first state of its own."""

import numpy as np


def step(state, gradient, rng, eta, alpha, beta, tau, N):
    """The velocity that is written last moves the position in the next step."""
    theta, v = state["theta"], state["v"]
    noise = np.sqrt(2 * (alpha - beta) * eta * tau) * rng.standard_normal(v.shape)
    return {"theta": theta + v, "v": (1 - alpha) * v - eta * N * gradient(theta) + noise}


def init(theta, rng):
    """Chains begin at rest."""
    return {"theta": theta, "v": np.zeros_like(theta)}


step.init = init
