# The thermostat without a first state of its own, its friction as wide as the position
# check: sgnht_flat_friction.py:step --like sgnht
import numpy as np


def step(state, gradient, rng, eta, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    v = v - eta * xi * v - eta * N * gradient(theta)
    v = v + np.sqrt(2 * a * eta * tau) * rng.standard_normal(v.shape)
    theta = theta + eta * v
    xi = xi + eta * (np.mean(v**2, axis=-1, keepdims=True) - tau)
    return {"theta": theta, "v": v, "xi": xi}
