"""Momentum with an L2 penalty, differentiated together with the loss."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def penalty(w, l2):
    return -0.5 * l2 * jnp.sum(w**2)


@jax.jit
def regularised_gradient(w, grad, l2):
    return grad + jax.grad(penalty)(w, l2)


@partial(jax.jit, donate_argnums=())
def momentum_update(w, v, grad, lr, momentum):
    v = momentum * v - lr * grad
    return w + momentum * v, v


def step(state, gradient, rng, lr, momentum, l2):
    w = jnp.asarray(state["theta"])
    grad = regularised_gradient(w, jnp.asarray(gradient(state["theta"])), l2)
    w, v = momentum_update(w, jnp.asarray(state["v"]), grad, lr, momentum)
    return {"theta": np.array(w), "v": np.array(v)}
