"""SGLD of Welling and Teh with the step sizes eps_t = a * (b + t) ** -gamma."""

import numpy as np


def Sampler_step(theta, gradient, rng, a, b, gamma, N, t):
    decay = (b + t) ** (-gamma)
    eps_t = a * decay
    langevin = np.sqrt(a) * decay * rng.standard_normal(theta.shape)
    return theta - 0.5 * eps_t * N * gradient(theta) + langevin
