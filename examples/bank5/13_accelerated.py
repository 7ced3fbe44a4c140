"""Nesterov's accelerated SGD after Sutskever et al.: look ahead, correct, move.

``velocity`` is under ``v``; the gradient is that of the mean loss on one minibatch.
"""


def nag(state, gradient, rng, lr, momentum):
    position, velocity = state["theta"], state["v"]
    ahead = position + velocity
    velocity = momentum * velocity - lr * gradient(ahead)
    return {"theta": position + velocity, "v": velocity}
