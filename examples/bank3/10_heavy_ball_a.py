"""Classical momentum (Polyak's heavy ball) on dictionaries of arrays."""
import numpy as np


class HeavyBall:
    def __init__(self, lr, momentum):
        self.lr = lr
        self.momentum = momentum

    def update(self, params, velocity, grads):
        new_params, new_velocity = {}, {}
        for name, p in params.items():
            v = self.momentum * velocity[name] - self.lr * grads[name]
            new_velocity[name] = v
            new_params[name] = p + velocity[name]
        return new_params, new_velocity


def split(x):
    k = (x.shape[1] + 1) // 2
    return {"kernel": x[:, :k], "bias": x[:, k:]}


def join(tree):
    return np.concatenate([tree["kernel"], tree["bias"]], axis=1)


def step(state, gradient, rng, lr, momentum):
    grads = split(gradient(state["theta"]))
    params, velocity = HeavyBall(lr, momentum).update(split(state["theta"]), split(state["v"]), grads)
    return {"theta": join(params), "v": join(velocity)}
