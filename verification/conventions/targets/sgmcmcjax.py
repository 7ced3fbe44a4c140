"""SGMCMCJax's kernels as steps, mapped over chains; the minibatches are those that are handed in."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from sgmcmcjax import diffusions, kernels
from sgmcmcjax.types import DiffusionState, SamplerState

jax.config.update("jax_enable_x64", True)

Array = Any


@cache
def _kernel(name: str, source: Any, N: float, inner: int, params: tuple[tuple[str, float], ...]) -> Any:
    """One call of a kernel for all chains: its states as leaves, the minibatches of its inner steps."""
    parts = getattr(diffusions, name)(**dict(params))

    def one(key: Array, theta: Array, leaves: Any, drawn: Array, number: Array) -> Any:
        def estimate(i: Any, key: Array, point: Array, counted: Any = 0) -> Any:
            batch = jnp.asarray(drawn)[counted % inner]
            return -N * source.at(point, batch, jnp), counted + 1

        begin = parts[0](theta)
        held = DiffusionState([leaves], begin[1], begin[2]) if leaves else begin
        if inner > 1 or name == "sghmc":
            kernel = kernels._build_sghmc_kernel(*parts, estimate, None, inner)[1]
        else:
            kernel = kernels._build_langevin_kernel(*parts, estimate, None)[1]
        first, counted = estimate(number, key, parts[2](held))
        after = kernel(number, key, SamplerState(held, first, counted, None))
        return jax.tree.leaves(after.diffusion_state[0])

    return jax.jit(jax.vmap(one, in_axes=(0, 0, 0, 0, None)))


def _moved(
    name: str, state: dict[str, Any], gradient: Any, rng: Any, N: float, inner: int = 1, **params: float
) -> dict[str, Array]:
    theta = state["theta"]
    kernel = _kernel(name, gradient.source, N, inner, tuple(sorted(params.items())))
    drawn = np.stack([gradient.draw(theta) for _ in range(inner)], axis=1)
    key = jax.random.PRNGKey(int(rng.integers(2**62)))
    leaves = [state[k] for k in sorted(state) if k.startswith("leaf")]
    number = state.get("number", np.zeros(1))
    after = kernel(jax.random.split(key, len(theta)), theta, leaves, drawn, int(number[0]))
    kept = {f"leaf{k}": leaf for k, leaf in enumerate(after)}
    return {"theta": after[0], **kept, "number": number + 1}


def _begin(theta: Array, rng: Any) -> dict[str, Array]:
    return {"theta": theta}


def sgld(state: Any, gradient: Any, rng: Any, N: float, dt: float) -> dict[str, Array]:
    """SGLD on the summed log density."""
    return _moved("sgld", state, gradient, rng, N, dt=dt)


def psgld(
    state: Any, gradient: Any, rng: Any, N: float, dt: float, alpha: float, eps: float
) -> dict[str, Array]:
    """pSGLD on the summed log density."""
    return _moved("psgld", state, gradient, rng, N, dt=dt, alpha=alpha, eps=eps)


def sghmc(
    state: Any, gradient: Any, rng: Any, N: float, dt: float, alpha: float, L: float
) -> dict[str, Array]:
    """One call of SGHMC; it has no beta there."""
    return _moved("sghmc", {"theta": state["theta"]}, gradient, rng, N, int(L), dt=dt, alpha=alpha)


def sgnht(state: Any, gradient: Any, rng: Any, N: float, dt: float, a: float) -> dict[str, Array]:
    """SGNHT; the momentum is drawn in the first step."""
    return _moved("sgnht", state, gradient, rng, N, dt=dt, a=a)


sgld.init = psgld.init = sghmc.init = sgnht.init = _begin  # type: ignore[attr-defined]
