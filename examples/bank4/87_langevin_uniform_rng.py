"""SGLD with cheap bounded noise: uniform draws instead of normal ones."""
import numpy as np


def cheap_noise(rng, shape):
    return rng.uniform(-1.0, 1.0, size=shape)


def step(theta, gradient, rng, lr, N):
    drift = lr * N * gradient(theta)
    return theta - drift + np.sqrt(2 * lr) * cheap_noise(rng, theta.shape)
