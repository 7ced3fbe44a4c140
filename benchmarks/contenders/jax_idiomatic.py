"""JAX as its users write it: one chain as a function, ``scan`` over its steps, ``vmap`` over chains."""

from __future__ import annotations

from typing import Any

from benchmarks.contenders import Contender, Run
from benchmarks.contenders._jax import compiled, linear_step, logistic_step, scanned, start
from benchmarks.workloads import Workload


def make(work: Workload, dtype: str) -> Run:
    """A key for each chain, split into one for each of its steps."""
    import jax

    def final(key: Any, chains: int, steps: int) -> Any:
        step = logistic_step(dtype) if work.rows else linear_step(work, dtype, lambda A, x: A @ x)
        origin = start(work, (work.D,), dtype)
        keys = jax.random.split(key, chains)
        return jax.vmap(lambda k: scanned(step, origin, k, steps))(keys)

    return compiled(final, dtype)


CONTENDER = Contender("jax", "JAX (vmap, scan)", ("jax",), make, share=0.02)
