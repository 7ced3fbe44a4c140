"""SGD whose answer is the running mean of its iterates (Polyak and Ruppert)."""
from dataclasses import dataclass

import numpy as np


@dataclass
class RunningMean:
    """Mean of all that it was shown, in O(1) memory."""

    value: np.ndarray
    seen: np.ndarray

    def update(self, x):
        self.seen = self.seen + 1
        self.value = self.value + (x - self.value) / self.seen
        return self


class AveragedSGD:
    def __init__(self, lr):
        self.lr = lr

    def step(self, x, mean: RunningMean, closure):
        mean = mean.update(x)
        return x - self.lr * closure(x), mean


def init(theta, rng):
    return {"theta": theta.copy(), "m": np.zeros_like(theta), "seen": np.zeros_like(theta)}


def step(state, gradient, rng, lr):
    mean = RunningMean(state["m"], state["seen"])
    x, mean = AveragedSGD(lr).step(state["theta"], mean, gradient)
    return {"theta": x, "m": mean.value, "seen": mean.seen}
