"""Stochastic variance reduced gradient Langevin dynamics (Dubey et al., Algorithm 2)."""

import numpy as np


def estimate(gradient, theta, snapshot, full):
    """The minibatch gradient at theta, corrected by what is known at the snapshot."""
    return gradient(theta) - gradient(snapshot) + full


def variance_reduced(state, gradient, rng, eps, m, N, t):
    theta, s, g = state["theta"], state["s"], state["g"]
    if t % m == 0:
        s, g = theta, gradient.full(theta)
    direction = estimate(gradient, theta, s, g)
    theta = theta - eps * N / 2 * direction + np.sqrt(eps) * rng.standard_normal(theta.shape)
    return {"theta": theta, "s": s, "g": g}
