"""A chain that keeps each third iterate of SGD."""
from itertools import islice

import numpy as np


def iterates(theta, gradient, lr):
    """theta_1, theta_2, ... without the start."""
    while True:
        theta = theta - lr * gradient(theta)
        yield theta


class ThinnedChain:
    def __init__(self, every):
        self.every = every

    def next_draw(self, theta, gradient, lr):
        kept = list(islice(iterates(theta, gradient, lr), self.every - 1))
        return kept


def step(state, gradient, rng, lr):
    *_, before, draw = ThinnedChain(3).next_draw(state["theta"], gradient, lr)
    return {"theta": draw, "w": before}
