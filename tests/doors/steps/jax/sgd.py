# SGD in JAX
# check: sgd.py:step --like sgd
import jax.numpy as jnp


def step(theta, gradient, key, eps):
    return jnp.asarray(theta) - eps * gradient(theta)
