"""What the contenders in JAX share: the steps, and one compiled function from key to statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.contenders import Answer, Run
from benchmarks.workloads import BATCH, EPS, STEP, Workload, linear, signed_rows

Final = Callable[[Any, int, int], Any]  # key, chains, steps -> states
Product = Callable[[Any, Any], Any]  # a matrix and states -> states, however they lie in memory
State = tuple[Any, Any]  # position and velocity
Step = Callable[[State, Any], State]


def compiled(final: Final, dtype: str, axis: int = 0) -> Run:
    """A run that ends with the statistics, all compiled at once. ``axis`` is that of the chains."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", dtype == "float64")

    def whole(key: Any, chains: int, steps: int) -> Any:
        x = final(key, chains, steps)
        mean = x.mean(axis=axis, keepdims=True)
        away = x - mean
        second = away.T @ away if axis == 0 else away @ away.T
        return jnp.ravel(mean), second / chains

    jitted = jax.jit(whole, static_argnums=(1, 2))

    def run(chains: int, steps: int, seed: int) -> Answer:
        return Answer(*jax.block_until_ready(jitted(jax.random.key(seed), chains, steps)))

    return run


def linear_step(work: Workload, dtype: str, product: Product) -> Step:
    """A step of W1, W2, W3 or W5 on one chain or many."""
    import jax
    import jax.numpy as jnp

    numbers = linear(work.D)
    drift, G = jnp.asarray(-EPS * numbers.A, dtype), jnp.asarray(numbers.G, dtype)
    draws = 2 if work.sampler == "sgld" else 1

    def step(state: State, key: Any) -> State:
        x, m = state
        noise = jax.random.normal(key, (draws, *x.shape), dtype)
        change = product(drift, x) + product(G, noise[0])
        if work.sampler == "sgld":
            change += numbers.g * noise[1]
        if work.sampler == "momentum":
            change = m = numbers.mu * m + change
        return x + change, m

    return step


def logistic_step(dtype: str) -> Step:
    """A step of W4 on one chain (D) or on many (chains, D)."""
    import jax
    import jax.numpy as jnp

    rows = jnp.asarray(signed_rows(), dtype)

    def step(state: State, key: Any) -> State:
        theta, m = state
        draw, inject = jax.random.split(key)
        batch = rows[jax.random.randint(draw, (*theta.shape[:-1], BATCH), 0, len(rows))]
        slope = jax.nn.sigmoid(-jnp.einsum("...sd,...d->...s", batch, theta))
        pull = len(rows) / BATCH * jnp.einsum("...s,...sd->...d", slope, batch)
        xi = jax.random.normal(inject, theta.shape, dtype)
        return theta + STEP * (pull - theta) + (2 * STEP) ** 0.5 * xi, m

    return step


def start(work: Workload, shape: tuple[int, ...], dtype: str) -> State:
    """All chains at 1 (W4: at 0), at rest."""
    import jax.numpy as jnp

    at_rest = jnp.zeros(shape, dtype)
    return (at_rest if work.rows else at_rest + 1), at_rest


def scanned(step: Step, state: State, key: Any, steps: int) -> Any:
    """The position after all steps, each with a key of its own."""
    import jax

    keys = jax.random.split(key, steps)
    return jax.lax.scan(lambda s, k: (step(s, k), None), state, keys)[0][0]
