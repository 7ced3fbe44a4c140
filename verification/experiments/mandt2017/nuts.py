"""NUTS on the posterior of linear regression, by blackjax where that is installed: an extra."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

ABSENT = "NUTS is left out: blackjax is not installed (pip install blackjax)."


def available() -> bool:
    """Whether blackjax is installed."""
    return importlib.util.find_spec("blackjax") is not None


def nuts(precision: Any, starts: Any, warm: int, draws: int, seed: int) -> tuple[Any, Any]:
    """Draws (chains, draws, D) measured from the mode, and gradients of all data that each chain took.

    The second array is (chains, 1 + draws): those of warming up, then of each draw. Steps and masses are
    adapted while warming up, as Stan does it.
    """
    import blackjax
    import jax
    import jax.numpy as jnp

    matrix = jnp.asarray(precision)

    def density(x: Any) -> Any:
        return -x @ matrix @ x / 2

    def one(key: Any, start: Any) -> Any:
        first, second = jax.random.split(key)
        adapted, history = blackjax.window_adaptation(blackjax.nuts, density).run(
            first, start, num_steps=warm
        )
        kernel = blackjax.nuts(density, **adapted.parameters).step

        def step(state: Any, each: Any) -> Any:
            state, info = kernel(each, state)
            return state, (state.position, info.num_integration_steps)

        _, (positions, counts) = jax.lax.scan(step, adapted.state, jax.random.split(second, draws))
        return positions, history.info.num_integration_steps.sum(), counts

    keys = jax.random.split(jax.random.key(seed), len(starts))
    positions, warming, counts = jax.jit(jax.vmap(one))(keys, jnp.asarray(starts))
    used = np.concatenate([np.asarray(warming)[:, None], np.asarray(counts)], axis=1)
    return np.asarray(positions, float), used
