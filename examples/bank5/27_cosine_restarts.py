"""SGLD with warm restarts: steps fall along half a cosine over four iterations and start again."""

import numpy as np


class CosineAnnealing:
    def __init__(self, top, period):
        self.table = 0.5 * top * (1.0 + np.cos(np.pi * np.arange(period) / period))

    def __getitem__(self, t):
        return self.table[(t + 1) % len(self.table)]


def step(theta, gradient, rng, eps, N, t):
    h = CosineAnnealing(eps, 4)[t]
    return theta - h / 2 * N * gradient(theta) + np.sqrt(h) * rng.standard_normal(theta.shape)
