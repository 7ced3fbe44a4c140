"""SGHMC with an estimate of the minibatch noise, velocity first."""
import numpy as np


def step(state, gradient, rng, lr, friction, noise_estimate, tau, N):
    theta, v = state["theta"], state["v"]
    var = 2 * (friction + noise_estimate) * lr * tau
    v = (1 - friction) * v - lr * N * gradient(theta) + np.sqrt(var) * rng.standard_normal(v.shape)
    return {"theta": theta + v, "v": v}
