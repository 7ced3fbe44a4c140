"""Stochastic gradient Langevin dynamics (Welling and Teh, 2011)."""
import numpy as np


def step(theta, gradient, rng, step_size, num_data):
    grad = num_data * gradient(theta)
    noise = rng.standard_normal(theta.shape)
    return theta - 0.5 * step_size * grad + np.sqrt(2.0 * step_size) * noise
