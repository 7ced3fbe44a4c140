"""SGD with a stochastic weight average (SWA) in PyTorch."""
import torch


def update_average(avg, value, n_averaged):
    return avg + (value - avg) / (n_averaged + 1)


def step(state, gradient, generator, lr, t):
    theta = state["theta"] - lr * gradient(state["theta"])
    m = update_average(state["m"], theta, t + 1)
    return {"theta": theta, "m": m}
