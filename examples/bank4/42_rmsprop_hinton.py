"""RMSprop."""
import numpy as np


def step(state, gradient, rng, lr, rho, small):
    g = gradient(state["theta"])
    V = (1 - rho) * state["V"] + rho * np.square(g)
    theta = state["theta"] - lr * g / (np.sqrt(V) + small)
    return {"theta": theta, "V": V}
