"""The stochastic gradient Nose-Hoover thermostat of Ding et al., with masses 1.

``xi`` is the friction that adapts itself to the noise of the gradient, ``a`` the diffusion that is
injected, ``tau`` the temperature.
"""

import numpy as np


def sgnht_update(state, gradient, rng, eta, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    diffusion = np.sqrt(2 * a * tau) * rng.standard_normal(v.shape)
    v = v + eta * (-xi * v - N * gradient(theta) + diffusion)
    theta = theta + eta * v
    kinetic = np.mean(v**2, axis=-1, keepdims=True)
    xi = xi + eta * (kinetic - tau)
    return {"theta": theta, "v": v, "xi": xi}
