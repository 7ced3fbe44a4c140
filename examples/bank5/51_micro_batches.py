"""SGLD with three micro-batches to an update, whose gradients are averaged as they come."""

import numpy as np


def loader(gradient, theta, batches):
    for _ in range(batches):
        batch = gradient.draw(theta)
        yield gradient(theta, batch)


def update(theta, gradient, rng, epsilon, N):
    mean = np.zeros_like(theta)
    for k, g in enumerate(loader(gradient, theta, 3), start=1):
        mean += (g - mean) / k
    finite = np.isfinite(mean)
    force = np.where(finite, -N * mean, 0.0)
    return theta + 0.5 * epsilon * force + rng.normal(size=theta.shape) * epsilon**0.5
