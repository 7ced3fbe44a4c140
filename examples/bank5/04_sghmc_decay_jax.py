"""SGHMC with decreasing steps, for one chain, in JAX.

The step at iteration t is ``eta * (b + t) ** (-c)``; ``alpha`` is the friction and ``tau`` the temperature.
"""

import jax
import jax.numpy as jnp


def schedule(eta, b, c):
    return lambda t: eta * (b + t) ** (-c)


def sghmc_step(state, gradient, key, eta, alpha, tau, b, c, N, t):
    batch_key, noise_key = jax.random.split(key)
    step_size = schedule(eta, b, c)(t)
    theta, v = state["theta"], state["v"]
    scale = jnp.sqrt(2 * alpha * eta * tau)
    noise = scale * jax.random.normal(noise_key, v.shape)
    new_v = (1 - alpha) * v - step_size * N * gradient(theta, batch_key) + noise
    return {"theta": theta + v, "v": new_v}
