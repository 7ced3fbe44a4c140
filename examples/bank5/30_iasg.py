"""Iterate averaging stochastic gradients (IASG): constant SGD, and the mean over windows of ``window`` steps."""

import numpy as np


def init(theta, rng):
    return {"theta": theta, "m": np.zeros_like(theta)}


def iterate_average(state, gradient, rng, eps, H, window, t):
    theta = state["theta"] - eps * np.einsum("ij,cj->ci", H, gradient(state["theta"]))
    seen = t % window
    total = seen * state["m"] + theta
    return {"theta": theta, "m": total / (seen + 1)}
