"""Constant-step SGD with Polyak-Ruppert averaging.

``m`` is the running arithmetic mean of all iterates that the chain has visited.
"""


def running_mean(mean, value, count):
    """The mean of ``count + 1`` values, of which ``mean`` has seen ``count``."""
    return mean + (value - mean) / (count + 1)


def sgd_with_average(state, gradient, rng, learning_rate, t):
    w, mean = state["theta"], state["m"]
    w = w - learning_rate * gradient(w)
    return {"theta": w, "m": running_mean(mean, w, t + 1)}
