"""Plain Numba: loops as one writes them first, ``prange`` over chains and ``np.random`` inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders import Answer, Contender, Run
from benchmarks.workloads import BATCH, STEP, Workload, linear, signed_rows


def make(work: Workload, dtype: str) -> Run:
    """One compiled function from the numbers to mean and covariance. Numba seeds its own threads."""
    kernel = _logistic() if work.rows else _linear()
    real = np.dtype(dtype).type
    if work.rows:
        rows = signed_rows().astype(dtype)
        given: tuple[Any, ...] = (
            rows, BATCH, real(1 - STEP), real(STEP * len(rows) / BATCH), real(np.sqrt(2 * STEP)),
        )  # fmt: skip
    else:
        numbers = linear(work.D).cast(dtype)
        velocity, injected = work.sampler == "momentum", work.sampler == "sgld"
        drift = (numbers.F - np.eye(work.D)).astype(dtype)
        given = (drift, numbers.G, real(numbers.g), real(numbers.mu), velocity, injected)

    def run(chains: int, steps: int, seed: int) -> Answer:
        x = kernel(chains, steps, *given).astype(np.float64)
        return Answer(x.mean(axis=0), np.atleast_2d(np.cov(x.T, bias=True)))

    return run


def _linear() -> Any:
    from numba import njit, prange

    @njit(parallel=True)
    def simulate(chains, steps, drift, G, g, mu, velocity, injected):  # type: ignore[no-untyped-def]
        D = len(drift)
        last = np.empty((chains, D), drift.dtype)
        for c in prange(chains):
            x, m = np.ones(D, drift.dtype), np.zeros(D, drift.dtype)
            w, change = np.empty(D, drift.dtype), np.empty(D, drift.dtype)
            for _ in range(steps):
                for i in range(D):
                    w[i] = np.random.standard_normal()
                for i in range(D):
                    total = mu * m[i] if velocity else drift.dtype.type(0)
                    for j in range(D):
                        total += drift[i, j] * x[j] + G[i, j] * w[j]
                    if injected:
                        total += g * drift.dtype.type(np.random.standard_normal())
                    change[i] = total
                for i in range(D):
                    m[i] = change[i]
                    x[i] += change[i]
            last[c] = x
        return last

    return simulate


def _logistic() -> Any:
    from numba import njit, prange

    @njit(parallel=True)
    def simulate(chains, steps, rows, size, kept, scale, noise):  # type: ignore[no-untyped-def]
        D = rows.shape[1]
        last = np.empty((chains, D), rows.dtype)
        for c in prange(chains):
            theta, pull = np.zeros(D, rows.dtype), np.empty(D, rows.dtype)
            for _ in range(steps):
                pull[:] = 0
                for _ in range(size):
                    row = rows[np.random.randint(0, len(rows))]
                    t = rows.dtype.type(0)
                    for i in range(D):
                        t += row[i] * theta[i]
                    slope = 1 / (1 + np.exp(t))
                    for i in range(D):
                        pull[i] += slope * row[i]
                for i in range(D):
                    xi = rows.dtype.type(np.random.standard_normal())
                    theta[i] = kept * theta[i] + scale * pull[i] + noise * xi
            last[c] = theta
        return last

    return simulate


CONTENDER = Contender("numba", "plain Numba", ("numba",), make, share=0.02)
