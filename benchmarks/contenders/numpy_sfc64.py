"""NumPy with its fastest generator: blocks of chains that stay in the cache, one product a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import Answer, Contender, Run
from benchmarks.workloads import BATCH, STEP, Array, Workload, linear, signed_rows

BLOCK = 8_192  # chains: state and noise of ten dimensions are 650 kB in float32
MINIBATCHES = 512  # chains whose minibatches are gathered at once

Block = Callable[[np.random.Generator, int, int], Array]  # generator, chains, steps -> (D, chains)


def make(work: Workload, dtype: str) -> Run:
    """Step loop in Python, everything else in NumPy."""
    simulate = _logistic(dtype) if work.rows else _linear(work, dtype)

    def run(chains: int, steps: int, seed: int) -> Answer:
        source = np.random.Generator(np.random.SFC64(seed))
        block = MINIBATCHES if work.rows else BLOCK
        first, second = np.zeros(work.D), np.zeros((work.D, work.D))
        for begin in range(0, chains, block):
            x = simulate(source, min(block, chains - begin), steps).astype(np.float64)
            first += x.sum(axis=1)
            second += x @ x.T
        mean = first / chains
        return Answer(mean, second / chains - np.outer(mean, mean))

    return run


def _linear(work: Workload, dtype: str) -> Block:
    numbers, D = linear(work.D), work.D
    velocity, injected = work.sampler == "momentum", work.sampler == "sgld"
    # one matrix takes what stands in one buffer (state, velocity, noise) to the next state or velocity
    one = np.eye(D)
    parts = [numbers.F - one, numbers.mu * one, numbers.G] if velocity else [numbers.F, numbers.G]
    if injected:
        parts.append(numbers.g * one)
    gain = np.hstack(parts).astype(dtype)
    kept = 2 * D if velocity else D
    real: Any = np.dtype(dtype)

    def simulate(source: np.random.Generator, chains: int, steps: int) -> Array:
        now = np.zeros((gain.shape[1], chains), dtype)
        new = np.empty((D, chains), dtype)
        now[:D] = 1
        for _ in range(steps):
            source.standard_normal(out=now[kept:], dtype=real)
            np.matmul(gain, now, out=new)
            if velocity:
                now[D:kept] = new
                now[:D] += new
            else:
                now[:D] = new
        return now[:D]

    return simulate


def _logistic(dtype: str) -> Block:
    rows = signed_rows().astype(dtype)
    real: Any = np.dtype(dtype)
    scale = real.type(STEP * len(rows) / BATCH)
    kept, noise = real.type(1 - STEP), real.type(np.sqrt(2 * STEP))

    def simulate(source: np.random.Generator, chains: int, steps: int) -> Array:
        theta = np.zeros((chains, rows.shape[1]), dtype)
        for _ in range(steps):
            batch = rows[source.integers(0, len(rows), (chains, BATCH), dtype=np.int32)]
            slope = 1 / (1 + np.exp(np.matmul(batch, theta[:, :, None])[:, :, 0]))
            pull = np.matmul(slope[:, None, :], batch)[:, 0]
            theta = kept * theta + scale * pull
            theta += noise * source.standard_normal(theta.shape, dtype=real)
        return theta.T

    return simulate


CONTENDER = Contender("numpy", "NumPy (SFC64)", ("numpy",), make, share=0.03)
