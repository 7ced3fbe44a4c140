"""Nesterov accelerated gradient in Sutskever's form."""
import numpy as np


class NAG:
    """The closure evaluates the gradient at any point that it is given."""

    def __init__(self, learning_rate, rho):
        self.learning_rate = learning_rate
        self.rho = rho

    def lookahead(self, x, v):
        return x + self.rho * v

    def step(self, x, v, closure):
        grad = closure(self.lookahead(x, v))
        v_next = self.rho * v - self.learning_rate * grad
        return x + v_next, v_next


def step(state, gradient, rng, learning_rate, rho):
    x, v = NAG(learning_rate, rho).step(state["theta"], state["v"], gradient)
    return {"theta": x, "v": v}
