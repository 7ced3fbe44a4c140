"""SVRG-LD: Langevin dynamics with a snapshot and its full gradient."""
import numpy as np


def step(state, gradient, rng, lr, epoch, N, t):
    theta, s, g = state["theta"], state["s"], state["g"]
    if (t + 1) % epoch == 0:
        s = theta
        g = gradient.full(theta)
    batch = gradient.draw(theta)
    estimate = g + gradient(theta, batch) - gradient(s, batch)
    theta = theta - lr / 2 * N * estimate + np.sqrt(lr) * rng.standard_normal(theta.shape)
    return {"theta": theta, "s": s, "g": g}
