"""Cyclical SGLD: the step falls quadratically within a cycle, then restarts."""
import numpy as np

PERIOD = 4


def step_size(eps, t):
    return eps * (1 - ((t + 1) % PERIOD) / PERIOD) ** 2


def step(theta, gradient, rng, eps, N, t):
    h = step_size(eps, t)
    return theta - h / 2 * N * gradient(theta) + np.sqrt(h) * rng.standard_normal(theta.shape)
