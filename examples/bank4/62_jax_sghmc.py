"""SGHMC in JAX: both lines with the old values."""
import jax
import jax.numpy as jnp


def step(state, gradient, key, step_size, friction, temperature, N):
    theta, v = state["theta"], state["v"]
    kg, kn = jax.random.split(key)
    force = -N * gradient(theta, kg)
    noise = jnp.sqrt(2 * friction * temperature * step_size) * jax.random.normal(kn, v.shape, v.dtype)
    dv = friction * v + step_size * force + noise
    return jax.tree_util.tree_map(jnp.add, {"theta": theta, "v": v}, {"theta": v, "v": dv})
