"""SGLD with gradient clipping by norm, one norm to a chain."""
import numpy as np

MAX_NORM = 1.0e6


def clip_by_norm(g, max_norm):
    norm = np.linalg.norm(g, axis=1, keepdims=True)
    scale = np.where(norm < max_norm, 1.0 / norm, max_norm / norm)
    return g * scale


def step(theta, gradient, rng, lr, N):
    g = clip_by_norm(gradient(theta), MAX_NORM)
    return theta - lr * N * g + np.sqrt(2 * lr) * rng.standard_normal(theta.shape)
