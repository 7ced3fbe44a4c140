"""Averages of SGD iterates over windows, in JAX."""
import jax.numpy as jnp


def step(state, gradient, key, lr, window, t):
    theta = state["theta"] - lr * gradient(state["theta"], key)
    k = jnp.mod(t - 1, window)
    m = state["m"] * k / (k + 1) + theta / (k + 1)
    return {"theta": theta, "m": m}
