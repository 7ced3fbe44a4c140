# SGHMC in JAX, velocity first
# check: sghmc.py:step --like sghmc_velocity_first
import jax
import jax.numpy as jnp


def init(theta, rng_key):
    return {"theta": theta, "v": jnp.zeros_like(theta)}


def step(state, gradient, rng_key, eta, alpha, beta, tau, N):
    noise = jnp.sqrt(2 * (alpha - beta) * eta * tau) * jax.random.normal(rng_key, state["v"].shape)
    v = (1 - alpha) * state["v"] - eta * N * gradient(state["theta"]) + noise
    return {"theta": state["theta"] + v, "v": v}
