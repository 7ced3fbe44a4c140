"""SGLD in JAX with a guard against steps that are out of bounds; ``h`` is the time step of the Langevin diffusion."""

import jax
import jax.numpy as jnp


def guard(increment, h, width=1.5):
    bound = width * jnp.sqrt(2 * h)
    return jnp.clip(increment, -bound, bound)


def robust_sgld(theta, gradient, key, h, N):
    k1, k2 = jax.random.split(key)
    increment = -h * N * gradient(theta, k1) + jnp.sqrt(2 * h) * jax.random.normal(k2, theta.shape)
    return theta + guard(increment, h)
