"""Optax's SGD as steps; all chains are one array, as its transformations act on each number."""

from __future__ import annotations

from typing import Any

import jax
import optax

jax.config.update("jax_enable_x64", True)

Array = Any


def _moved(transformation: Any, state: Any, gradient: Any) -> dict[str, Any]:
    """The optimizer's own state travels as its leaves."""
    theta = state["theta"]
    leaves, shape = jax.tree.flatten(transformation.init(theta))
    kept = [_lifted(state.get(f"leaf{k}", leaf), leaf) for k, leaf in enumerate(leaves)]
    updates, inner = transformation.update(gradient(theta), jax.tree.unflatten(shape, kept), theta)
    after = {f"leaf{k}": _bare(leaf) for k, leaf in enumerate(jax.tree.leaves(inner))}
    return {"theta": optax.apply_updates(theta, updates), **after}


def _is_key(leaf: Any) -> bool:
    return bool(jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def _bare(leaf: Any) -> Any:
    """A key as the numbers that it is made of."""
    return jax.random.key_data(leaf) if _is_key(leaf) else leaf


def _lifted(kept: Any, like: Any) -> Any:
    return jax.random.wrap_key_data(kept) if _is_key(like) and kept is not like else kept


def _begin(theta: Array, rng: Any) -> dict[str, Any]:
    return {"theta": theta}


def sgd(theta: Array, gradient: Any, rng: Any, learning_rate: float) -> Array:
    """Plain SGD on the mean loss."""
    return _moved(optax.sgd(learning_rate), {"theta": theta}, gradient)["theta"]


def sgd_momentum(
    state: Any, gradient: Any, rng: Any, learning_rate: float, momentum: float
) -> dict[str, Any]:
    """SGD with momentum."""
    return _moved(optax.sgd(learning_rate, momentum), state, gradient)


def sgd_nesterov(
    state: Any, gradient: Any, rng: Any, learning_rate: float, momentum: float
) -> dict[str, Any]:
    """SGD with Nesterov's momentum."""
    return _moved(optax.sgd(learning_rate, momentum, nesterov=True), state, gradient)


def noisy_sgd(state: Any, gradient: Any, rng: Any, learning_rate: float, eta: float) -> dict[str, Any]:
    """SGD with noise of constant variance; its key is the seed of the first state."""
    key = int(rng.integers(2**31))
    return _moved(optax.noisy_sgd(learning_rate, eta, 0.0, key=key), state, gradient)


sgd_momentum.init = _begin  # type: ignore[attr-defined]
sgd_nesterov.init = _begin  # type: ignore[attr-defined]
noisy_sgd.init = _begin  # type: ignore[attr-defined]
