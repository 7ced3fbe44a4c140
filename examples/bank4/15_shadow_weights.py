"""Momentum SGD with shadow weights for evaluation."""


def ema(shadow, value, decay):
    return shadow - (1 - decay) * (shadow - value)


def step(state, gradient, rng, lr, beta, rho):
    v = beta * state["v"] + gradient(state["theta"])
    theta = state["theta"] - lr * v
    return {"theta": theta, "v": v, "m": ema(state["m"], theta, rho)}
