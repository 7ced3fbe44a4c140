# Momentum in JAX on a named tuple
# check: momentum_named_tuple.py:step --like momentum
# wave: 2
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    theta: jax.Array
    v: jax.Array


def init(theta, key):
    return State(theta, jnp.zeros_like(theta))


def step(state, gradient, key, eps, mu):
    v = (1 - mu) * state.v - eps * gradient(state.theta)
    return State(state.theta + v, v)
