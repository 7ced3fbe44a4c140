"""SGLD thinned by two, in JAX: an inner loop of two steps, of which the last iterate is returned."""

import jax
import jax.numpy as jnp


def thinned(theta, gradient, key, eps, N):
    noise_key, *batch_keys = jax.random.split(key, 3)

    def one(theta, batch_key):
        xi = jax.random.normal(noise_key, theta.shape)
        return theta - eps / 2 * N * gradient(theta, batch_key) + jnp.sqrt(eps) * xi

    for batch_key in batch_keys:
        theta = one(theta, batch_key)
    return theta
