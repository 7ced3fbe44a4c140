"""pSGLD without the curvature term."""
import numpy as np


def step(state, gradient, rng, lr, beta, lam, N):
    g = gradient(state["theta"])
    V = beta * state["V"] + (1 - beta) * g**2
    G = 1 / (lam + np.sqrt(V))
    drift = -0.5 * lr * N * G * g
    diffusion = np.sqrt(lr * G) * rng.standard_normal(g.shape)
    return {"theta": state["theta"] + drift + diffusion, "V": V}
