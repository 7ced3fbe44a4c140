"""SGD with weight decay."""


def step(theta, gradient, rng, lr, wd):
    g = gradient(theta) + wd * theta
    theta = theta * (1 - lr * wd)
    return theta - lr * g
