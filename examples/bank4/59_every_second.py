"""Momentum SGD that records every second iterate."""


def inner(theta, v, g, lr, beta):
    v = beta * v - lr * g
    return theta + v, v


def step(state, gradient, rng, lr, beta):
    theta, v = state["theta"], state["v"]
    for _ in range(2):
        theta, v = inner(theta, v, gradient(theta), lr, beta)
    return {"theta": theta, "v": v}
