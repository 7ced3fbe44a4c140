"""SGLD in JAX with steps eps (b + t)^-c."""
import jax
import jax.numpy as jnp


def step(theta, gradient, key, eps, b, c, N, t):
    kg, kn = jax.random.split(key)
    eps_t = eps * (b + t) ** (-c)
    noise = jax.random.normal(kn, theta.shape, theta.dtype)
    return theta - 0.5 * eps_t * N * gradient(theta, kg) + eps_t * noise
