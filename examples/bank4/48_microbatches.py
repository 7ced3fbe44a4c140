"""SGD over four micro-batches; gradients that are not finite are masked out."""
import numpy as np

STEPS = 4


def step(theta, gradient, rng, lr):
    total = np.zeros_like(theta)
    for _ in range(STEPS):
        g = gradient(theta)
        mask = np.isfinite(g)
        total += np.where(mask, g, 0.0) / STEPS
    return theta - lr * total
