"""Faulty samplers in JAX, a second set, for one chain each: see ``expected_second.py``."""

import jax
import jax.numpy as jnp

KEY = jax.random.PRNGKey(42)


def key_of_the_module(theta, gradient, key, eps, N, H):
    """The key at the top of the file is used throughout."""
    noise = jnp.linalg.cholesky(H) @ jax.random.normal(KEY, theta.shape)
    return theta - eps / 2 * N * (H @ gradient(theta)) + jnp.sqrt(eps) * noise


def one_key_for_both(state, gradient, key, eps, gamma, tau, N):
    """OBABO with a key that is not split."""

    def bath(v):
        c = jnp.exp(-gamma * eps / 2)
        return c * v + jnp.sqrt(tau * (1 - c**2)) * jax.random.normal(key, v.shape)

    x, v = state["theta"], bath(state["v"])
    v = v - eps / 2 * N * gradient(x)
    x = x + eps * v
    v = v - eps / 2 * N * gradient(x)
    return {"theta": x, "v": bath(v)}


def momentum_the_other_way(state, gradient, key, eps, mu, H):
    v = mu * state["v"] - eps * H @ gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}


def rescales_always(theta, gradient, key, eps, H):
    """Clips gradients to a norm of 1."""
    g = gradient(theta)
    g = g / (jnp.linalg.norm(g) + 1e-6)
    return theta - eps * H @ g


def temperature_twice(state, gradient, key, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = tau * jnp.sqrt(2 * (alpha - beta) * eta) * jax.random.normal(key, v.shape)
    v = (1 - alpha) * v - eta * N * gradient(theta) + noise
    return {"theta": theta + v, "v": v}


def whole_bath_in_each_half(state, gradient, key, eps, gamma, tau, N):
    """OABAO."""
    first, last = jax.random.split(key)
    c = jnp.exp(-gamma * eps)
    spread = jnp.sqrt(tau * (1 - c**2))
    x, v = state["theta"], state["v"]
    v = c * v + spread * jax.random.normal(first, v.shape)
    x = x + eps / 2 * v
    v = v - eps * N * gradient(x)
    x = x + eps / 2 * v
    return {"theta": x, "v": c * v + spread * jax.random.normal(last, v.shape)}
