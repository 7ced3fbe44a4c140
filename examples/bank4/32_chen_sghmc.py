"""SGHMC of Chen, Fox and Guestrin, Eq. 15: both lines with the old values."""
import numpy as np


def step(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    grad_u = N * gradient(theta)
    sd = np.sqrt((alpha - beta) * eta * tau)
    new_v = (1 - alpha) * v - eta * grad_u + sd * rng.standard_normal(theta.shape)
    return {"theta": theta + v, "v": new_v}
