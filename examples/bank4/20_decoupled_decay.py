"""SGD with decoupled weight decay and a safeguard against exploding gradients."""
import numpy as np


def safeguard(g, limit=1e8):
    norm = np.sqrt((g**2).sum(axis=1, keepdims=True))
    return g * np.minimum(1.0, limit / np.maximum(norm, 1e-30))


def step(theta, gradient, rng, lr, wd):
    g = safeguard(gradient(theta))
    return (1 - lr * wd) * theta - lr * g
