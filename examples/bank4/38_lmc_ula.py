"""Unadjusted Langevin algorithm on the full data set."""
import numpy as np


def step(theta, gradient, rng, dt, N):
    drift = -N * gradient(theta)
    return theta + dt * drift + np.sqrt(2 * dt) * rng.standard_normal(theta.shape)
