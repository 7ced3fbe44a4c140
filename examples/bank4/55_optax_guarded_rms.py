"""RMSprop as an optax transform behind a clip that only stops absurd gradients."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class RmsState(NamedTuple):
    nu: optax.Updates


def clipped_rms(learning_rate, decay, small, limit=1e9):
    def init(params):
        return RmsState(jax.tree_util.tree_map(jnp.zeros_like, params))

    def update(grads, state, params=None):
        grads = jax.tree_util.tree_map(lambda g: jnp.clip(g, -limit, limit), grads)
        nu = jax.tree_util.tree_map(lambda n, g: n + (1 - decay) * (g * g - n), state.nu, grads)
        updates = jax.tree_util.tree_map(lambda g, n: -learning_rate * g / (jnp.sqrt(n) + small), grads, nu)
        return updates, RmsState(nu)

    return optax.GradientTransformation(init, update)
