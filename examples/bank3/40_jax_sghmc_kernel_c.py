"""SGHMC kernel with a state as a NamedTuple; noise is told by the iteration."""
from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


class SGHMCState(NamedTuple):
    position: jax.Array
    velocity: jax.Array
    iteration: jax.Array


@lru_cache
def build_kernel(alpha: float):
    """Kernel of SGHMC at temperature one."""

    @jax.jit
    def kernel(rng_key, state, logdensity_grad, learning_rate):
        position, velocity, iteration = state
        sub = jax.random.fold_in(jax.random.key(1), iteration // 2)
        noise = jax.random.normal(sub, position.shape, position.dtype)
        velocity = (
            (1.0 - alpha) * velocity
            + learning_rate * logdensity_grad
            + jnp.sqrt(2.0 * alpha * learning_rate) * noise
        )
        return SGHMCState(position + velocity, velocity, iteration + 1)

    return kernel


def init(theta, rng):
    return {"theta": theta.copy(), "v": 0 * theta, "iteration": 0 * theta}


def step(state, gradient, rng, alpha, learning_rate, N):
    key = jax.random.key(int(rng.integers(2**31)))
    inner = SGHMCState(
        jnp.asarray(state["theta"]), jnp.asarray(state["v"]), jnp.asarray(int(state["iteration"].flat[0]))
    )
    new = build_kernel(alpha)(key, inner, jnp.asarray(-N * gradient(state["theta"])), learning_rate)
    return {
        "theta": np.array(new.position),
        "v": np.array(new.velocity),
        "iteration": state["iteration"] + 1,
    }
