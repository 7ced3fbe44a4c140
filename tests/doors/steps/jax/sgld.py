# SGLD in JAX with a key
# check: sgld.py:step --like sgld
import jax
import jax.numpy as jnp


def step(theta, gradient, key, eps, N):
    noise = jax.random.normal(key, theta.shape)
    return theta - eps / 2 * N * gradient(theta) + jnp.sqrt(eps) * noise
