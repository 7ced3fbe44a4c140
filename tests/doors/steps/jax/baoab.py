# BAOAB in JAX
# check: baoab.py:step --like underdamped:BAOAB
import jax
import jax.numpy as jnp


def init(theta, key):
    return {"theta": theta, "v": jnp.zeros_like(theta)}


def step(state, gradient, key, eps, gamma, tau, N):
    q, p = state["theta"], state["v"]
    p = p - eps / 2 * N * gradient(q)
    q = q + eps / 2 * p
    c = jnp.exp(-gamma * eps)
    p = c * p + jnp.sqrt(tau * (1 - c**2)) * jax.random.normal(key, p.shape)
    q = q + eps / 2 * p
    p = p - eps / 2 * N * gradient(q)
    return {"theta": q, "v": p}
