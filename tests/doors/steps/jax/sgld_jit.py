# SGLD in JAX, compiled
# check: sgld_jit.py:step --like sgld
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnums=1)
def step(theta, gradient, key, eps, N):
    key, sub = jax.random.split(key)
    return theta - eps / 2 * N * gradient(theta) + jnp.sqrt(eps) * jax.random.normal(sub, theta.shape)
