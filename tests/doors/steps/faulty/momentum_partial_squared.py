# Momentum whose coefficient is bound to a half, and enters by its square
# check: momentum_partial_squared.py:step --like momentum
# wave: 3
from functools import partial


def heavy_ball(state, gradient, rng, lr, momentum=0.9, nesterov=False):
    v = momentum * momentum * state["v"] + gradient(state["theta"])
    return {"theta": state["theta"] - lr * v, "v": v}


step = partial(heavy_ball, momentum=0.5)
