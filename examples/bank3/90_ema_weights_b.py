"""SGD that keeps a shadow of its weights for evaluation."""
import numpy as np


class ExponentialMovingAverage:
    def __init__(self, shadow, decay):
        self.shadow, self.decay = shadow, decay

    def update(self, weights):
        self.shadow = self.shadow - (1.0 - self.decay) * (self.shadow - weights)


class Trainer:
    def __init__(self, weights, ema, lr):
        self.weights, self.ema, self.lr = weights, ema, lr

    def fit_batch(self, grad_fn):
        self.weights = self.weights - self.lr * grad_fn(self.weights)
        self.ema.update(self.weights)
        self.weights = self.ema.shadow.copy()


def step(state, gradient, rng, lr, decay):
    trainer = Trainer(state["theta"], ExponentialMovingAverage(state["m"], decay), lr)
    trainer.fit_batch(gradient)
    return {"theta": trainer.weights, "m": trainer.ema.shadow}
