"""SGD with a Polyak-Ruppert running mean beside the iterate."""


def step(state, gradient, rng, lr, t):
    theta, m = state["theta"], state["m"]
    weight = 1.0 / (t + 1.0)
    m = (1 - weight) * m + weight * theta
    theta = theta - lr * gradient(theta)
    return {"theta": theta, "m": m}
