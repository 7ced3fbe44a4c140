"""SGLD over a pytree of parameters, in JAX; here the tree is split off a flat vector and put together again."""

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


def tree_normal(key, tree):
    leaves, treedef = jax.tree.flatten(tree)
    keys = jax.random.split(key, len(leaves))
    return jax.tree.unflatten(treedef, [jax.random.normal(k, x.shape, x.dtype) for k, x in zip(keys, leaves)])


def sgld(theta, gradient, key, step_size, N):
    key, gradient_key = jax.random.split(key)
    params = {"first": theta[:1], "rest": theta[1:]}
    flat_grad = gradient(theta, gradient_key)
    grads = {"first": flat_grad[:1], "rest": flat_grad[1:]}
    noise = tree_normal(key, params)
    new = jax.tree.map(lambda p, g, z: p - step_size * N * g + jnp.sqrt(2 * step_size) * z, params, grads, noise)
    return jnp.concatenate([new["first"], new["rest"]])
