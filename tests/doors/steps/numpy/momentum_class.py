# Momentum with its velocity in an object of the user's
# check: momentum_class.py:step --like momentum
import numpy as np


class State(dict):
    @property
    def x(self):
        return self["theta"]


def init(theta, rng, **params):
    return State(theta=theta, velocity=np.zeros(theta.shape))


def step(state, gradient, rng, mu, eps, **params):
    velocity = (1.0 - mu) * state["velocity"] - eps * gradient(state.x)
    return State(theta=state.x + velocity, velocity=velocity)
