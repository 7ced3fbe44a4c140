"""Preconditioned SGLD (Li, Chen, Carlson and Carin), without the curvature term Gamma.

RMSprop's diagonal preconditioner G scales the drift and shapes the noise.
"""

import numpy as np


def rms_preconditioner(second_moment, floor):
    return 1.0 / (np.sqrt(second_moment) + floor)


def langevin(state, gradient, rng, step_size, decay, floor, N):
    theta, V = state["theta"], state["V"]
    g = gradient(theta)
    V = decay * V + (1.0 - decay) * g * g
    G = rms_preconditioner(V, floor)
    xi = rng.standard_normal(theta.shape)
    theta = theta - 0.5 * step_size * N * G * g + np.sqrt(step_size) * G * xi
    return {"theta": theta, "V": V}
