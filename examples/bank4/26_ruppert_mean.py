"""SGD and the running mean of its iterates, updated in place of a sum."""


def step(state, gradient, rng, lr, t):
    theta = state["theta"] - lr * gradient(state["theta"])
    m = state["m"] + (theta - state["m"]) / (t + 1)
    return {"theta": theta, "m": m}
