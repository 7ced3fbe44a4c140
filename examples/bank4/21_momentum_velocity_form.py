"""SGD with momentum; the velocity holds the learning rate."""


def step(state, gradient, rng, lr, momentum):
    theta, v = state["theta"], state["v"]
    dampening = momentum
    v = momentum * v - lr * (1 - dampening) * gradient(theta)
    theta = theta + v
    return {"theta": theta, "v": v}
