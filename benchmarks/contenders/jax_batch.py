"""JAX with all chains in one array (chains, D) and one key a step."""

from __future__ import annotations

from typing import Any

from benchmarks.contenders import Contender, Run
from benchmarks.contenders._jax import compiled, linear_step, logistic_step, scanned, start
from benchmarks.workloads import Workload


def make(work: Workload, dtype: str) -> Run:
    """The states in rows."""

    def final(key: Any, chains: int, steps: int) -> Any:
        step = logistic_step(dtype) if work.rows else linear_step(work, dtype, lambda A, x: x @ A.T)
        return scanned(step, start(work, (chains, work.D), dtype), key, steps)

    return compiled(final, dtype)


CONTENDER = Contender("jax_batch", "JAX (chains, D)", ("jax",), make, share=0.03)
