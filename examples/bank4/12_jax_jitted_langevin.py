"""Langevin step in JAX: the update is jitted."""
import jax
import jax.numpy as jnp


@jax.jit
def _update(x, g, key, dt):
    chains = x.shape[0]
    xi = jax.random.normal(key, (chains, 1), x.dtype)
    return x - dt * g + jnp.sqrt(2 * dt) * xi


def step(theta, gradient, key, dt, N):
    k1, k2 = jax.random.split(key)
    return _update(theta, N * gradient(theta, k1), k2, dt)
