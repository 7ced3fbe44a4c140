"""Nesterov's accelerated gradient, gradient at the look-ahead point."""


def step(state, gradient, rng, lr, momentum):
    theta, v = state["theta"], state["v"]
    ahead = theta - momentum * v
    v = momentum * v - lr * gradient(ahead)
    return dict(theta=theta + v, v=v)
