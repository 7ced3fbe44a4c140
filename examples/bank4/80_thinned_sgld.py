"""Thinned SGLD: hands back every second iterate."""
import numpy as np

EVERY = 2


def step(theta, gradient, rng, eps, N):
    noise = np.sqrt(eps) * rng.standard_normal(theta.shape)
    for _ in range(EVERY):
        theta = theta - eps / 2 * N * gradient(theta) + noise
    return theta
