# Nesterov in JAX, over a tree
# check: nesterov.py:step --like nesterov
import jax
import jax.numpy as jnp


def init(theta, key):
    return {"theta": theta, "v": jax.tree.map(jnp.zeros_like, theta)}


def step(state, gradient, key, eps, mu):
    g = gradient(state["theta"] + (1 - mu) * state["v"])
    v = jax.tree.map(lambda v, g: (1 - mu) * v - eps * g, state["v"], g)
    return {"theta": state["theta"] + v, "v": v}
