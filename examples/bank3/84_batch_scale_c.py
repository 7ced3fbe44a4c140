"""Posterior sampling for a model whose loss is a mean over the minibatch."""
import numpy as np


class Likelihood:
    """Rescales the gradient of a minibatch to the whole data set."""

    def __init__(self, grad_fn, num_data, batch_size):
        self.grad_fn, self.num_data, self.batch_size = grad_fn, num_data, batch_size

    def grad_potential(self, theta):
        return self.num_data / self.batch_size * self.grad_fn(theta)


class SGLD:
    def __init__(self, likelihood, eps, seed):
        self.likelihood, self.eps, self.rng = likelihood, eps, seed

    def __next__(self):
        g = self.likelihood.grad_potential(self.theta)
        self.theta = self.theta - 0.5 * self.eps * g
        self.theta += self.rng.normal(scale=self.eps, size=self.theta.shape)
        return self.theta

    def started_at(self, theta):
        self.theta = theta.copy()
        return self


def step(theta, gradient, rng, eps, N, batch_size):
    return next(SGLD(Likelihood(gradient, N, batch_size), eps, rng).started_at(theta))
