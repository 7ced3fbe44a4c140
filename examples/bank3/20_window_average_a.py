"""Iterate averaging over windows: the mean starts anew after each window."""
import numpy as np


class WindowMean:
    def __init__(self, window):
        self.window = int(window)

    def push(self, mean, count, x):
        inside = np.mod(count, self.window + 1)
        mean = (inside * mean + x) / (inside + 1)
        return mean, count + 1


def init(theta, rng):
    return {"theta": theta.copy(), "m": np.zeros_like(theta), "count": np.zeros_like(theta)}


def step(state, gradient, rng, lr, window):
    theta = state["theta"] - lr * gradient(state["theta"])
    m, count = WindowMean(window).push(state["m"], state["count"], theta)
    return {"theta": theta, "m": m, "count": count}
