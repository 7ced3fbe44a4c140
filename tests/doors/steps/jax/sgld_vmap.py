# SGLD in JAX for one chain, mapped over chains
# check: sgld_vmap.py:step --like sgld
# wave: 2
import jax
import jax.numpy as jnp


def one(key, theta, g, eps, N):
    return theta - eps / 2 * N * g + jnp.sqrt(eps) * jax.random.normal(key, theta.shape)


def step(theta, gradient, key, eps, N):
    keys = jax.random.split(key, theta.shape[0])
    return jax.vmap(one, in_axes=(0, 0, 0, None, None))(keys, theta, gradient(theta), eps, N)
