"""AdaGrad: accumulated squares scale every coordinate."""
import numpy as np


def step(state, gradient, rng, lr, small):
    g = gradient(state["theta"])
    V = state["V"] + g**2
    scale = small + V
    return {"theta": state["theta"] - lr * g / scale, "V": V}
