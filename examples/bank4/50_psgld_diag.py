"""Preconditioned SGLD with an RMSprop preconditioner, curvature term dropped."""
import numpy as np


def step(state, gradient, rng, lr, decay, lam, N):
    theta, V = state["theta"], state["V"]
    g = gradient(theta)
    V = decay * V + (1 - decay) * g * g
    G = 1.0 / (lam + np.sqrt(V))
    theta = theta - 0.5 * lr * G * N * g + np.sqrt(lr) * G * rng.standard_normal(theta.shape)
    return {"theta": theta, "V": V}
