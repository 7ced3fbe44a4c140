"""Symplectic Euler with a thermostat, the word BAO: kick, drift, Ornstein-Uhlenbeck; in JAX, one chain."""

import jax
import jax.numpy as jnp


def bao(state, gradient, key, delta, friction, kT, num_data):
    k_batch, k_noise = jax.random.split(key, 2)
    q, p = state["theta"], state["v"]
    p = p - delta * num_data * gradient(q, k_batch)
    q = q + delta * p
    eta = jnp.exp(-friction * delta)
    p = eta * p + jnp.sqrt((1.0 - eta) * (1.0 + eta) * kT) * jax.random.normal(k_noise, p.shape)
    return dict(theta=q, v=p)
