"""OBABO in JAX."""
import jax
import jax.numpy as jnp


def thermostat(v, key, friction, h, temperature):
    c = jnp.exp(-friction * h / 2)
    return c * v + jnp.sqrt(temperature * (1 - c**2)) * jax.random.normal(key, v.shape, v.dtype)


def step(state, gradient, key, h, friction, temperature, N):
    theta, v = state["theta"], state["v"]
    k1, k2, k3 = jax.random.split(key, 3)
    v = thermostat(v, k1, friction, h, temperature)
    force = -N * gradient(theta, k2)
    v = v + h / 2 * force
    theta = theta + h * v
    v = v + h / 2 * force
    v = thermostat(v, k3, friction, h, temperature)
    return {"theta": theta, "v": v}
