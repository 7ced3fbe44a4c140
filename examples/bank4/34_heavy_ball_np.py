"""Heavy-ball momentum with the learning rate inside the velocity."""


def step(state, gradient, rng, lr, momentum):
    theta, v = state["theta"], state["v"]
    g = gradient(theta)
    theta = theta + v
    v = momentum * v - lr * g
    return {"theta": theta, "v": v}
