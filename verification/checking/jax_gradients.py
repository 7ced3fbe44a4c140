"""The gradients that a foreign JAX step is handed, for one chain and one step, inside what JAX traces.

Randomness comes from a key of the chain and the step. Each call is a minibatch of its own: the number of
the call, counted while the step is traced, and the point itself go into its key. So two calls at one
point differ, and so do the passes of a ``lax.scan``, whose body is traced once, as the point moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sgtheory.errors import UnusableInput
from verification.checking.gradients import Additive, Minibatches, Refused

Array = Any


@dataclass(frozen=True, eq=False)
class JaxGradient:
    """``gradient(theta)`` with a fresh minibatch; ``gradient(theta, batch)`` with a given one.

    ``batch`` is a key, of ``gradient.draw(theta)`` or any other: the same one at two points of a step is
    the same minibatch. It is independent of whatever else is drawn from that key.
    """

    source: Any
    key: Array
    factor: float = 1.0
    calls: Iterator[int] = field(default_factory=itertools.count)

    def __call__(self, theta: Array, batch: Array = None) -> Array:
        """The gradient at a point, of the point's own number type."""
        import jax.numpy as jnp

        theta = self._point(theta)
        key = self.draw(theta) if batch is None else self._folded(bits_of(batch))
        drawn = _drawn(self.source, key, theta.shape[:-1])
        return (self.factor * self.source.at(theta, drawn, jnp)).astype(theta.dtype)

    def draw(self, theta: Array) -> Array:
        """A minibatch, to be handed to more than one call."""
        import jax.numpy as jnp

        return self._folded(jnp.append(bits_of(theta), jnp.uint32(next(self.calls))))

    def full(self, theta: Array) -> Array:
        """The gradient over all the data."""
        import jax.numpy as jnp

        theta = self._point(theta)
        return (self.factor * self.source.full(theta, jnp)).astype(theta.dtype)

    def _folded(self, bits: Array) -> Array:
        import jax

        return jax.random.fold_in(self.key, _hash(bits))

    def _point(self, theta: Array) -> Array:
        import jax.numpy as jnp

        theta, D = jnp.asarray(theta), len(self.source.mode)
        if theta.shape[-1:] != (D,):
            raise Refused("shape", f"the gradient was asked for at an array of shape {theta.shape}")
        return theta


def _drawn(source: Any, key: Array, shape: tuple[int, ...]) -> Array:
    """What is random in a source, as its own ``draw`` does it, but from a key."""
    import jax
    import jax.numpy as jnp

    if isinstance(source, Additive):
        return jax.random.normal(key, (*shape, len(source.A))) @ jnp.asarray(source.root.T)
    if not isinstance(source, Minibatches):
        raise UnusableInput("noise or minibatches", type(source).__name__, "hand in a NumPy step")
    N = len(source.at_mode)
    if source.replacement:
        return jax.random.randint(key, (*shape, source.S), 0, N)
    chosen: list[Array] = []
    for s in range(source.S):  # Floyd's algorithm
        last = N - source.S + s
        new = jax.random.randint(jax.random.fold_in(key, s), shape, 0, last + 1)
        taken = jnp.zeros(shape, bool)
        for earlier in chosen:
            taken |= earlier == new
        chosen.append(jnp.where(taken, last, new))
    return jnp.stack(chosen, -1)


def bits_of(value: Array) -> Array:
    """A key or a number as unsigned integers of 32 bits, in a row."""
    import jax
    import jax.numpy as jnp

    value = jnp.asarray(value)
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    if jnp.issubdtype(value.dtype, jnp.floating):
        value = jax.lax.bitcast_convert_type(
            value, jnp.uint32 if value.dtype.itemsize >= 4 else jnp.uint16
        )
    return value.astype(jnp.uint32).ravel()


def _hash(bits: Array) -> Array:
    """One number for all; each is stirred first, so that small changes do not cancel in the sum."""
    import jax.numpy as jnp
    import numpy as np

    bits = (bits ^ (bits >> 16)) * jnp.uint32(0x7FEB352D)
    bits = (bits ^ (bits >> 15)) * jnp.uint32(0x846CA68B)
    odd = (2 * np.arange(len(bits), dtype=np.uint64) + 1) * 0x9E3779B1 % 2**32
    return ((bits ^ (bits >> 16)) * jnp.asarray(odd.astype(np.uint32))).sum(dtype=jnp.uint32)
