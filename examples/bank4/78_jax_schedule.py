"""SGLD in JAX with a polynomial schedule of steps."""
import jax
import jax.numpy as jnp


def polynomial(a, b, power):
    def at(t):
        return a / (b + t) ** power

    return at


def step(theta, gradient, key, a, b, power, N, t):
    h = polynomial(a, b, power)(t)
    kg, kn = jax.random.split(key)
    drift = -h / 2 * N * gradient(theta, kg)
    return theta + drift + jnp.sqrt(h) * jax.random.normal(kn, theta.shape, theta.dtype)
