"""BAOAB in JAX."""
import jax
import jax.numpy as jnp


def step(state, gradient, key, dt, friction, kT, N):
    q, p = state["theta"], state["v"]
    first, middle, last = jax.random.split(key, 3)
    decay = jnp.exp(-friction * dt)
    p = p - dt / 2 * N * gradient(q, first)
    q = q + dt / 2 * p
    p = decay * p + jnp.sqrt(kT * (1 - decay**2)) * jax.random.normal(middle, p.shape, p.dtype)
    q = q + dt / 2 * p
    p = p - dt / 2 * N * gradient(q, last)
    return {"theta": q, "v": p}
