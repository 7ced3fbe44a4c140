"""Adam in plain NumPy."""
import numpy as np


def step(state, gradient, rng, lr, beta1, beta2, small, t):
    theta, u, v = state["theta"], state["u"], state["v"]
    g = gradient(theta)
    u = beta1 * u + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    v_hat = v / (1 - beta2 ** (t + 1))
    return {"theta": theta - lr * u / (np.sqrt(v_hat) + small), "u": u, "v": v}
