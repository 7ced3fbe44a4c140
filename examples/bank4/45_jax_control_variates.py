"""SGLD with control variates in JAX."""
import jax
import jax.numpy as jnp


def step(theta, gradient, key, dt, mode, N):
    k1, k2, k3 = jax.random.split(key, 3)
    centre = jnp.zeros_like(theta) + mode
    g = gradient.full(centre) + gradient(theta, k1) - gradient(centre, k2)
    return theta - dt * N * g + jnp.sqrt(2 * dt) * jax.random.normal(k3, theta.shape, theta.dtype)
