"""Heavy-ball momentum as an optax transform."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class HeavyBallState(NamedTuple):
    buffer: optax.Updates


def heavy_ball(learning_rate, decay):
    def init(params):
        return HeavyBallState(jax.tree_util.tree_map(jnp.zeros_like, params))

    def update(grads, state, params=None):
        buffer = jax.tree_util.tree_map(lambda b, g: decay * b + g, state.buffer, grads)
        updates = jax.tree_util.tree_map(lambda b: -learning_rate * b, state.buffer)
        return updates, HeavyBallState(buffer)

    return optax.GradientTransformation(init, update)
