"""RMSprop as an optax transform."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class RmsState(NamedTuple):
    nu: optax.Updates


def rms(learning_rate, decay, small):
    def init(params):
        return RmsState(jax.tree_util.tree_map(jnp.zeros_like, params))

    def update(grads, state, params=None):
        nu = jax.tree_util.tree_map(lambda n, g: decay * n + (1 - decay) * g * g, state.nu, grads)
        updates = jax.tree_util.tree_map(lambda g, n: -learning_rate * g / (n + small), grads, nu)
        return updates, RmsState(nu)

    return optax.GradientTransformation(init, update)
