# Momentum in JAX on a dict
# check: momentum.py:step --like momentum
import jax.numpy as jnp


def init(theta, key):
    return {"theta": theta, "v": jnp.zeros_like(theta)}


def step(state, gradient, key, eps, mu):
    v = (1 - mu) * state["v"] - eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
