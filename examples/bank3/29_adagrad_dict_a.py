"""AdaGrad with diagonal accumulators (Duchi, Hazan and Singer 2011)."""
import numpy as np


class AdaGrad:
    def __init__(self, lr, delta):
        self.hyper = {"lr": lr, "delta": delta}

    def step(self, param, grad, accumulator):
        accumulator = accumulator + np.square(grad)
        scale = np.sqrt(accumulator + self.hyper["delta"])
        return param - self.hyper["lr"] * grad / scale, accumulator


def step(state, gradient, rng, lr, delta):
    theta, V = AdaGrad(lr, delta).step(state["theta"], gradient(state["theta"]), state["V"])
    return {"theta": theta, "V": V}
