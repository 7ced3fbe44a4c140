"""SGLD for a model with weights and a bias: theta is [w, b], and the two blocks have their own noise."""

import numpy as np


def split(theta):
    return {"w": theta[..., :-1], "b": theta[..., -1:]}


def join(blocks):
    return np.concatenate([blocks["w"], blocks["b"]], axis=-1)


def step(theta, gradient, rng, epsilon, N):
    blocks, grads = split(theta), split(gradient(theta))
    moved = {}
    for name, value in blocks.items():
        noise = np.sqrt(epsilon) * rng.normal(size=value.shape[1:])
        moved[name] = value - 0.5 * epsilon * N * grads[name] + noise
    return join(moved)
