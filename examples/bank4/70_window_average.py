"""Iterate-averaged stochastic gradients: the mean over a window of iterates."""


def step(state, gradient, rng, lr, window, t):
    theta = state["theta"] - lr * gradient(state["theta"])
    count = t + 1
    mean = state["m"] + (theta - state["m"]) / count
    return {"theta": theta, "m": mean}
