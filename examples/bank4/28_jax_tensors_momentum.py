"""Heavy-ball SGD in JAX over a tree of two tensors."""
import jax
import jax.numpy as jnp

tree_map = jax.tree_util.tree_map


def tree(x):
    k = x.shape[1] // 2
    return {"kernel": x[:, :k], "bias": x[:, k:]}


def flat(tensors):
    return jnp.concatenate([tensors["kernel"], tensors["bias"]], axis=1)


def step(state, gradient, key, lr, momentum):
    params, velocity = tree(state["theta"]), tree(state["v"])
    grads = tree(gradient(state["theta"], key))
    velocity = tree_map(lambda v, g: momentum * v - lr * g, velocity, grads)
    params = tree_map(jnp.add, params, velocity)
    return {"theta": flat(params), "v": flat(velocity)}
