"""Cyclical SGLD in JAX: two steps of plain descent to explore, then three that sample."""
import jax
import jax.numpy as jnp

PERIOD, EXPLORE = 5, 2


def step(theta, gradient, key, eps, N, t):
    kg, kn = jax.random.split(key)
    position = jnp.mod(t, PERIOD)
    sampling = jnp.where(position < EXPLORE, 1.0, 0.0)
    noise = sampling * jax.random.normal(kn, theta.shape, theta.dtype)
    return theta - eps / 2 * N * gradient(theta, kg) + jnp.sqrt(eps) * noise
