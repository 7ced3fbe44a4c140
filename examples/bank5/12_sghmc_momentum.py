"""SGHMC in the form of SGD with momentum (Chen et al., Eq. 15), velocity first.

``momentum`` is what remains of the velocity in a step, that is one minus the friction; ``learning_rate``
is the square of the time step. The estimate of the noise of the gradient is taken as zero.
"""

import numpy as np


def sghmc(state, gradient, rng, learning_rate, momentum, temperature, num_data):
    theta, v = state["theta"], state["v"]
    noise_variance = 2.0 * momentum * learning_rate * temperature
    v = momentum * v - learning_rate * num_data * gradient(theta)
    v += np.sqrt(noise_variance) * rng.standard_normal(theta.shape)
    return {"theta": theta + v, "v": v}
