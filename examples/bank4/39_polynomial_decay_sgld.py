"""SGLD with the polynomial schedule a (b + t)^-c."""
import numpy as np


def schedule(a, b, c, t):
    return a * (b + t) ** (-c)


def step(theta, gradient, rng, a, b, c, N, t):
    eps_t = schedule(a, b, c, t)
    drift = eps_t / 2 * N * gradient(theta)
    return theta - drift + np.sqrt(a) * rng.standard_normal(theta.shape)
