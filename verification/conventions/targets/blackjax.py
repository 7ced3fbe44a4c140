"""BlackJAX's samplers as steps: its own kernels, mapped over chains, its own keys."""

from __future__ import annotations

from functools import cache
from typing import Any

import blackjax
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

Array = Any


def keys(rng: Any, chains: int) -> Array:
    """A key for each chain, from the generator that is handed in."""
    return jax.random.split(jax.random.key(int(rng.integers(2**62))), chains)


def handed(position: Array, minibatch: Array) -> Array:
    """A gradient that was computed already."""
    return minibatch


@cache
def _sgld() -> Any:
    step = blackjax.sgld(handed).step
    return jax.jit(jax.vmap(step, in_axes=(0, 0, 0, None, None)))


def sgld(theta: Array, gradient: Any, rng: Any, N: float, step_size: float, temperature: float) -> Array:
    """SGLD on the summed log density."""
    return _sgld()(keys(rng, len(theta)), theta, -N * gradient(theta), step_size, temperature)


@cache
def _sghmc(source: Any, N: float, count: int, alpha: float, beta: float) -> Any:
    def of_log_density(position: Array, minibatch: Array) -> Array:
        return -N * source.at(position, minibatch, jnp)

    step = blackjax.sghmc(of_log_density, count, alpha, beta).step
    return jax.jit(jax.vmap(step, in_axes=(0, 0, 0, None, None)))


def sghmc(
    theta: Array,
    gradient: Any,
    rng: Any,
    N: float,
    step_size: float,
    temperature: float,
    alpha: float,
    beta: float,
    num_integration_steps: float,
) -> Array:
    """One call of SGHMC: all its inner steps see one minibatch."""
    step = _sghmc(gradient.source, N, int(num_integration_steps), alpha, beta)
    return step(keys(rng, len(theta)), theta, gradient.draw(theta), step_size, temperature)


@cache
def _sgnht(alpha: float, beta: float) -> Any:
    kernel = blackjax.sgnht(handed, alpha, beta)
    return (
        jax.jit(jax.vmap(kernel.init)),
        jax.jit(jax.vmap(kernel.step, in_axes=(0, 0, 0, None, None))),
    )


def sgnht(
    state: Any,
    gradient: Any,
    rng: Any,
    N: float,
    step_size: float,
    temperature: float,
    alpha: float,
    beta: float,
) -> dict[str, Array]:
    """SGNHT; its thermostat is one number for each chain."""
    before = blackjax.sgmcmc.sgnht.SGNHTState(state["theta"], state["p"], state["xi"])
    force = -N * gradient(state["theta"])
    after = _sgnht(alpha, beta)[1](keys(rng, len(force)), before, force, step_size, temperature)
    return {"theta": after.position, "p": after.momentum, "xi": after.xi}


def _begin(theta: Array, rng: Any, alpha: float, beta: float) -> dict[str, Array]:
    first = _sgnht(alpha, beta)[0](theta, keys(rng, len(theta)))
    return {"theta": first.position, "p": first.momentum, "xi": first.xi}


sgnht.init = _begin  # type: ignore[attr-defined]
