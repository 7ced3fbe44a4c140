"""Momentum SGD with gradients accumulated over micro-batches of a loader."""
import numpy as np


class Loader:
    """Hands out one gradient function for each micro-batch."""

    def __init__(self, gradient, accumulate):
        self.gradient, self.accumulate = gradient, accumulate

    def __iter__(self):
        for _ in range(self.accumulate):
            yield self.gradient


class Accumulator:
    def __init__(self, accumulate):
        self.accumulate = accumulate

    def gradient(self, theta, loader):
        total = np.zeros_like(theta)
        for micro in loader:
            total += micro(theta) / self.accumulate
        return total


def step(state, gradient, rng, lr, momentum):
    grad = Accumulator(2).gradient(state["theta"], Loader(gradient, 2))
    v = momentum * state["v"] - lr * grad
    return {"theta": state["theta"] + v, "v": v}
