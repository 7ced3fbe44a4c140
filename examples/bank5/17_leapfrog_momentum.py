"""SGD with momentum in the form where the position moves first, with the velocity that it has.

theta moves by the old velocity; the velocity then decays and takes up the gradient of this step.
"""


def step(state, gradient, rng, eps, mu):
    theta, v = state["theta"], state["v"]
    theta = theta + v
    v = (1 - mu) * v - eps * gradient(theta)
    return dict(theta=theta, v=v)
