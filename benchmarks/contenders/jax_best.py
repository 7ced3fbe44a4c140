"""The fastest JAX that we could write: chains side by side (D, chains), in blocks that fit the cache.

Blocks of 4,096 made W1 1.3 times faster in float32; W5, where each block would be small, slower. Writing
the product out in coordinates, and one product for state and noise together, did not pay.
"""

from __future__ import annotations

from typing import Any

from benchmarks.contenders import Contender, Run
from benchmarks.contenders._jax import State, Step, compiled, linear_step, scanned, start
from benchmarks.workloads import BATCH, STEP, Workload, signed_rows

BLOCK = 4_096


def make(work: Workload, dtype: str) -> Run:
    """The states in columns."""
    import jax
    import jax.numpy as jnp

    def product(A: Any, x: Any) -> Any:
        return A[0, 0] * x if work.D == 1 else A @ x

    def final(key: Any, chains: int, steps: int) -> Any:
        step = _logistic_step(dtype) if work.rows else linear_step(work, dtype, product)
        blocks = chains // BLOCK if work.D > 1 and chains % BLOCK == 0 else 1
        origin = start(work, (work.D, chains // blocks), dtype)
        keys = jax.random.split(key, blocks)
        parts = jax.lax.map(lambda k: scanned(step, origin, k, steps), keys)
        return jnp.moveaxis(parts, 0, 1).reshape(work.D, chains)

    return compiled(final, dtype, axis=1)


def _logistic_step(dtype: str) -> Step:
    import jax
    import jax.numpy as jnp

    rows = jnp.asarray(signed_rows(), dtype)

    def step(state: State, key: Any) -> State:
        theta, m = state
        draw, inject = jax.random.split(key)
        batch = rows[jax.random.randint(draw, (BATCH, theta.shape[1]), 0, len(rows))]
        slope = jax.nn.sigmoid(-jnp.einsum("scd,dc->sc", batch, theta))
        pull = len(rows) / BATCH * jnp.einsum("sc,scd->dc", slope, batch)
        xi = jax.random.normal(inject, theta.shape, dtype)
        return theta + STEP * (pull - theta) + (2 * STEP) ** 0.5 * xi, m

    return step


CONTENDER = Contender("jax_best", "JAX, best: (D, chains)", ("jax",), make, share=0.06)
