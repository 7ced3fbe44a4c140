"""Nose-Hoover thermostat in JAX."""
import jax
import jax.numpy as jnp


def step(state, gradient, key, lr, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    kg, kn = jax.random.split(key)
    noise = jax.random.normal(kn, v.shape, v.dtype)
    v = (1 - lr * xi) * v - lr * N * gradient(theta, kg) + jnp.sqrt(2 * a * lr * tau) * noise
    theta = theta + lr * v
    kinetic = jnp.mean(v * v, axis=1, keepdims=True)
    return {"theta": theta, "v": v, "xi": xi + lr * (kinetic - tau)}
