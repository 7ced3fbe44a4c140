"""Variance-reduced Langevin dynamics with a snapshot at the start of every epoch."""
import numpy as np


def step(state, gradient, rng, lr, epoch, N, t):
    theta, s, g = state["theta"], state["s"], state["g"]
    if t % epoch == 0:
        s, g = theta.copy(), gradient.full(theta)
    batch = gradient.draw(theta)
    estimate = gradient(theta, batch) - gradient(s, batch) + g
    noise = rng.standard_normal(theta.shape)
    return {"theta": theta - lr / 2 * N * estimate + np.sqrt(lr) * noise, "s": s, "g": g}
