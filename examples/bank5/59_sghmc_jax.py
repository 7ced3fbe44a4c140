"""SGHMC in JAX with an estimate ``beta_hat`` of the gradient noise; position and velocity both from the old values."""

import jax
import jax.numpy as jnp


def sghmc(state, gradient, key, eta, alpha, beta_hat, temperature, N):
    k_grad, k_noise = jax.random.split(key)
    theta, v = state["theta"], state["v"]
    variance = 2.0 * (alpha - beta_hat) * eta * temperature
    xi = jax.random.normal(k_noise, theta.shape, theta.dtype)
    return {
        "theta": theta + v,
        "v": v - eta * N * gradient(theta, k_grad) - alpha * v + jnp.sqrt(variance) * xi,
    }
