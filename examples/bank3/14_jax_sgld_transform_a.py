"""SGLD as a gradient transformation: init, update, apply_updates."""
from typing import Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


class SGLDState(NamedTuple):
    key: jax.Array


class Transformation(NamedTuple):
    init: Callable
    update: Callable


def sgld(step_size, num_data) -> Transformation:
    def init(params, key):
        return SGLDState(key)

    def update(grads, state):
        leaves, tree = jax.tree_util.tree_flatten(grads)
        key, *keys = jax.random.split(state.key, len(leaves) + 1)
        noise = [jax.random.normal(k, g.shape, g.dtype) for k, g in zip(keys, leaves)]
        noise = jax.tree_util.tree_unflatten(tree, noise)
        updates = jax.tree_util.tree_map(
            lambda g, z: -step_size / 2 * num_data * g + jnp.sqrt(step_size) * z, grads, noise
        )
        return updates, SGLDState(key)

    return Transformation(init, update)


@jax.jit
def one_chain(params, grads, key, step_size, num_data):
    transform = sgld(step_size, num_data)
    updates, _ = transform.update(grads, transform.init(params, key))
    return jax.tree_util.tree_map(jnp.add, params, updates)


def as_tree(x):
    return {"b": jnp.asarray(x[:, : x.shape[1] // 2]), "w": jnp.asarray(x[:, x.shape[1] // 2 :])}


def step(theta, gradient, rng, step_size, num_data):
    keys = jax.random.split(jax.random.key(int(rng.integers(2**31))), len(theta))
    chains = jax.vmap(one_chain, in_axes=(0, 0, 0, None, None))
    out = chains(as_tree(theta), as_tree(gradient(theta)), keys, step_size, num_data)
    return np.concatenate([out["b"], out["w"]], axis=1)
