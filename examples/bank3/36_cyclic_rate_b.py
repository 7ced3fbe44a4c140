"""SGD over one whole cycle of a cyclical learning rate."""
import numpy as np


class CyclicLR:
    """Goes down from max_lr by ``gamma`` with each batch of the cycle, and starts again."""

    def __init__(self, max_lr, length=2, gamma=0.5):
        self.max_lr, self.length, self.gamma = max_lr, length, gamma
        self.last_step = 0

    def get_lr(self):
        return self.max_lr * self.gamma ** (self.last_step % self.length)

    def step(self):
        self.last_step += 1


def one_cycle(theta, gradient, scheduler):
    path = []
    for _ in range(scheduler.length):
        scheduler.step()
        theta = theta - scheduler.get_lr() * gradient(theta)
        path.append(theta)
    return path


def step(state, gradient, rng, max_lr, gamma):
    scheduler = CyclicLR(max_lr, gamma=gamma)
    middle, end = one_cycle(state["theta"], gradient, scheduler)
    return {"theta": end, "w": middle}
