"""SGLD with gradients accumulated over two micro-batches."""
import numpy as np

ACCUMULATE = 2


def step(theta, gradient, rng, eps, N):
    total = np.zeros_like(theta)
    for _ in range(ACCUMULATE):
        total += gradient(theta)
    return theta - eps / 2 * N * total + np.sqrt(eps) * rng.standard_normal(theta.shape)
