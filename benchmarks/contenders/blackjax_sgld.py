"""``blackjax.sgld``, for what is SGLD: the gradient's noise, or the examples, are its minibatch."""

from __future__ import annotations

from typing import Any

from benchmarks.contenders import Contender, NotApplicable, Run
from benchmarks.contenders._jax import compiled
from benchmarks.workloads import BATCH, BETA, EPS, STEP, S, Workload, linear, signed_rows


def make(work: Workload, dtype: str) -> Run:
    """``vmap`` over chains and ``scan`` over steps, as its documentation does."""
    import blackjax
    import jax
    import jax.numpy as jnp

    if work.sampler == "momentum":
        raise NotApplicable("blackjax has no heavy ball")
    if work.sampler == "sgd" and work.D > 1:
        raise NotApplicable("blackjax.sgld always injects isotropic noise; SGD has none")

    def final(key: Any, chains: int, steps: int) -> Any:
        draw, gradient, size, temperature = _estimator(work, dtype)
        sgld = blackjax.sgld(gradient)
        origin = jnp.full(work.D, 0 if work.rows else 1, dtype)

        def step(theta: Any, key: Any) -> Any:
            batch_key, step_key = jax.random.split(key)
            return sgld.step(step_key, theta, draw(batch_key), size, temperature), None

        def chain(key: Any) -> Any:
            return jax.lax.scan(step, origin, jax.random.split(key, steps))[0]

        return jax.vmap(chain)(jax.random.split(key, chains))

    return compiled(final, dtype)


def _estimator(work: Workload, dtype: str) -> Any:
    """How a minibatch is drawn, the gradient of the log density on it, step size and temperature."""
    import jax
    import jax.numpy as jnp

    if work.rows:
        rows = jnp.asarray(signed_rows(), dtype)

        def examples(key: Any) -> Any:
            return rows[jax.random.randint(key, (BATCH,), 0, len(rows))]

        def slope(theta: Any, batch: Any) -> Any:
            return len(rows) / BATCH * (jax.nn.sigmoid(-batch @ theta) @ batch) - theta

        return examples, slope, STEP, 1.0
    numbers = linear(work.D)
    A, G = jnp.asarray(numbers.A, dtype), jnp.asarray(numbers.G / EPS, dtype)
    if work.sampler == "sgd":  # in one dimension the injected noise can stand for that of the gradient
        return (lambda key: None), (lambda x, _: -A @ x), EPS, EPS / (2 * S)

    def noise(key: Any) -> Any:
        return jax.random.normal(key, (work.D,), dtype)

    return noise, (lambda x, w: G @ w - A @ x), EPS, 1 / BETA


CONTENDER = Contender("blackjax", "blackjax.sgld", ("blackjax", "jax"), make, share=0.02)
