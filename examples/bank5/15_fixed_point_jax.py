"""SGLDFP: Langevin dynamics whose stochastic gradient is centred at a reference point, in JAX.

The reference is the mode. Losses are means over the N examples.
"""

import jax
import jax.numpy as jnp
from jax import random


def centred_gradient(gradient, theta, reference, key, N):
    offset = gradient.full(reference)
    difference = gradient(theta, key) - gradient(reference, key)
    return N * offset + difference


def sgldfp_step(theta, gradient, key, step, N, mode):
    k1, k2 = random.split(key)
    reference = jnp.zeros_like(theta) + mode
    drift = centred_gradient(gradient, theta, reference, k1, N)
    return theta - step * drift + jnp.sqrt(2 * step) * random.normal(k2, theta.shape)
