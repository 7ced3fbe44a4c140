"""Unadjusted Langevin in JAX's default precision, float32."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, static_argnames=("dtype",))
def ula(key, x, grad_u, dt, dtype=jnp.bfloat16):
    x = x.astype(dtype)
    xi = jax.random.normal(key, x.shape, dtype)
    return x - dt * grad_u.astype(dtype) + jnp.sqrt(2 * dt).astype(dtype) * xi


def step(theta, gradient, rng, dt, N):
    key = jax.random.PRNGKey(int(rng.integers(2**31)))
    x = ula(key, jnp.asarray(theta), jnp.asarray(N * gradient(theta)), dt)
    return np.array(x, dtype=float)
