"""SGLD as in our tutorial: the learning rate is that of SGD, the noise is sqrt(2 lr)."""
import numpy as np


class PolynomialDecay:
    """a (1 + t/b)^-c; c = 0 keeps the step constant."""

    def __init__(self, a, b=1.0, c=0.0):
        self.a, self.b, self.c = a, b, c

    def __call__(self, t):
        return self.a * (1.0 + t / self.b) ** -self.c


class SGLDTrainer:
    def __init__(self, model_gradient, num_data, schedule, rng):
        self.model_gradient = model_gradient
        self.num_data = num_data
        self.schedule = schedule
        self.rng = rng
        self.iteration = 0

    def train_step(self, weights):
        lr = self.schedule(self.iteration)
        grad_u = self.model_gradient(weights)
        noise = self.rng.normal(0.0, np.sqrt(2.0 * lr), size=weights.shape)
        self.iteration += 1
        return weights - lr * grad_u + noise


def step(theta, gradient, rng, step_size, num_data):
    return SGLDTrainer(gradient, num_data, PolynomialDecay(step_size), rng).train_step(theta)
