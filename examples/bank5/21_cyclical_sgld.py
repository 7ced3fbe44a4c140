"""Cyclical SGLD (Zhang et al., 2020): a cosine schedule that restarts every four steps."""

import math

import numpy as np

CYCLE = 4


def cosine(t):
    inside = (t % CYCLE) / CYCLE
    return 0.5 * (math.cos(math.pi * inside) + 1.0)


def csgld(theta, gradient, rng, initial_step, N, t):
    h = initial_step * cosine(t)
    noise = rng.normal(0.0, 1.0, size=theta.shape)
    return theta - h * N * gradient(theta) + np.sqrt(2 * h) * noise
