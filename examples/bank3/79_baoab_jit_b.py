"""Underdamped Langevin dynamics, split as BAOAB (Leimkuhler and Matthews 2013), with unit mass."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


class Phase(NamedTuple):
    position: jax.Array
    momentum: jax.Array


@jax.jit
def first_half(phase: Phase, grad, key, h, friction) -> Phase:
    """B, A, O, A: all up to the second kick."""
    p = phase.momentum - 0.5 * h * grad
    q = phase.position + 0.5 * h * p
    decay = jnp.exp(-friction * h)
    p = decay * p + jnp.sqrt(1.0 - decay**2) * jax.random.normal(key, p.shape, p.dtype)
    q = q + 0.5 * h * p
    return Phase(q, p)


@jax.jit
def last_kick(phase: Phase, grad, h) -> Phase:
    return phase._replace(momentum=phase.momentum - 0.5 * h * grad)


def integrate(phase, potential_gradient, key, h, friction) -> Phase:
    phase = first_half(phase, potential_gradient(phase.position), key, h, friction)
    return last_kick(phase, potential_gradient(phase.position), h)


def step(state, gradient, rng, h, gamma, N):
    key = jax.random.key(int(rng.integers(2**31)))
    phase = Phase(jnp.asarray(state["theta"]), jnp.asarray(state["v"]))
    phase = integrate(phase, lambda q: N * jnp.asarray(gradient(np.array(q))), key, h, gamma)
    return {"theta": np.array(phase.position), "v": np.array(phase.momentum)}
