"""Momentum SGD with L2 regularisation, on a list of parameters with their own gradients."""
import numpy as np


class Parameter:
    def __init__(self, data, velocity):
        self.data, self.velocity, self.grad = data, velocity, None


class SGD:
    def __init__(self, params, lr, momentum=0.0, weight_decay=0.0):
        self.params, self.lr = list(params), lr
        self.momentum, self.weight_decay = momentum, weight_decay

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    def step(self):
        for p in self.params:
            if p.grad is None:
                continue
            d = p.grad + self.weight_decay * p.data
            p.velocity = self.momentum * p.velocity - self.lr * d
            p.data = p.data + p.velocity


def step(state, gradient, rng, lr, momentum, weight_decay):
    params = [Parameter(x, v) for x, v in zip(state["theta"].T, state["v"].T)]
    optimizer = SGD(params, lr, momentum, weight_decay)
    optimizer.zero_grad()
    for p, grad in zip(params, gradient(state["theta"]).T):
        p.grad = grad
    optimizer.step()
    return {
        "theta": np.stack([p.data for p in params], axis=1),
        "v": np.stack([p.velocity for p in params], axis=1),
    }
