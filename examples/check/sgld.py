"""Stochastic gradient Langevin dynamics as anyone would write it in NumPy."""

import numpy as np


def step(theta, gradient, rng, eps, N, H):
    """One step of all chains: ``theta`` is (chains, D), ``gradient`` that of the mean loss."""
    noise = rng.standard_normal(theta.shape) @ np.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise
