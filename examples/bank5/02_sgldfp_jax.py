"""SGLD with a control variate at a fixed point (SGLDFP), in JAX, one chain.

The same minibatch is used at the position and at the mode; the gradient of all the data at the mode is
added back, so that the estimate is unbiased.
"""

import jax
import jax.numpy as jnp


def kernel(theta, gradient, key, gamma, N, mode):
    key_batch, key_noise = jax.random.split(key)
    centre = jnp.broadcast_to(jnp.asarray(mode, theta.dtype), theta.shape)
    correction = gradient(theta, key_batch) - gradient(centre, key_batch)
    estimate = N * (gradient.full(centre) + correction)
    xi = jax.random.normal(key_noise, theta.shape, theta.dtype)
    return theta - gamma * estimate + jnp.sqrt(2.0 * gamma) * xi
