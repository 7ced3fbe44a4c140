"""The samplers of posteriors as steps: its ``init`` and ``update``, mapped over chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from posteriors.sgmcmc import baoa as _baoa
from posteriors.sgmcmc import sghmc as _sghmc
from posteriors.sgmcmc import sgld as _sgld
from posteriors.sgmcmc import sgnht as _sgnht

Array = Any


def log_posterior(theta: Any, force: Any) -> Any:
    """A log density whose gradient at theta is the one that is handed in."""
    return (theta * force).sum(), torch.empty(0)


def seeded(rng: Any) -> None:
    """PyTorch's generator, from the generator that is handed in."""
    torch.manual_seed(int(rng.integers(2**62)))


def moved(module: Any, state: Any, force: Array, rng: Any, **params: float) -> Any:
    """One update of every chain, each with noise of its own."""
    seeded(rng)

    def one(before: Any, batch: Any) -> Any:
        return module.update(before, batch, log_posterior, **params)[0]

    return torch.vmap(one, randomness="different")(state, torch.as_tensor(force))


def sgld(
    state: Any, gradient: Any, rng: Any, N: float, lr: float, beta: float, temperature: float
) -> Array:
    """SGLD on the summed log posterior."""
    before = _sgld.SGLDState(torch.as_tensor(state), *_bookkeeping(len(state)))
    params = {"lr": lr, "beta": beta, "temperature": temperature}
    return moved(_sgld, before, -N * gradient(state), rng, **params).params.numpy()


def _bookkeeping(chains: int) -> tuple[Any, Any]:
    return torch.full((chains,), torch.nan, dtype=torch.float64), torch.zeros(chains, dtype=torch.long)


def _first(module: Any, **settings: Any) -> Callable[[Array, Any], dict[str, Array]]:
    def begin(theta: Array, rng: Any) -> dict[str, Array]:
        seeded(rng)
        return _shown(module.init(torch.as_tensor(theta), **settings))

    return begin


def _shown(state: Any) -> dict[str, Array]:
    return {"theta": state.params.numpy(), "m": state.momenta.numpy()}


def _held(module: Any, kind: str, state: Mapping[str, Array], *more: Any) -> Any:
    both = (torch.as_tensor(state["theta"]), torch.as_tensor(state["m"]))
    return getattr(module, kind)(*both, *more, *_bookkeeping(len(both[0])))


def sghmc(
    state: Any,
    gradient: Any,
    rng: Any,
    N: float,
    lr: float,
    alpha: float,
    beta: float,
    sigma: float,
    temperature: float,
) -> dict[str, Array]:
    """SGHMC on the summed log posterior."""
    params = {"lr": lr, "alpha": alpha, "beta": beta, "sigma": sigma, "temperature": temperature}
    before = _held(_sghmc, "SGHMCState", state)
    return _shown(moved(_sghmc, before, -N * gradient(state["theta"]), rng, **params))


def baoa(
    state: Any,
    gradient: Any,
    rng: Any,
    N: float,
    lr: float,
    alpha: float,
    sigma: float,
    temperature: float,
) -> dict[str, Array]:
    """BAOA on the summed log posterior."""
    params = {"lr": lr, "alpha": alpha, "sigma": sigma, "temperature": temperature}
    before = _held(_baoa, "BAOAState", state)
    return _shown(moved(_baoa, before, -N * gradient(state["theta"]), rng, **params))


def sgnht(
    state: Any,
    gradient: Any,
    rng: Any,
    N: float,
    lr: float,
    alpha: float,
    beta: float,
    sigma: float,
    temperature: float,
) -> dict[str, Array]:
    """SGNHT on the summed log posterior; its thermostat is one number for each chain."""
    params = {"lr": lr, "alpha": alpha, "beta": beta, "sigma": sigma, "temperature": temperature}
    before = _held(_sgnht, "SGNHTState", state, torch.as_tensor(state["xi"]))
    after = moved(_sgnht, before, -N * gradient(state["theta"]), rng, **params)
    return {**_shown(after), "xi": after.xi.numpy()}


def _begin_sgnht(theta: Array, rng: Any, alpha: float) -> dict[str, Array]:
    seeded(rng)
    first = _sgnht.init(torch.as_tensor(theta), None, alpha)
    return {**_shown(first), "xi": np.full(len(theta), float(first.xi))}


sghmc.init = _first(_sghmc)  # type: ignore[attr-defined]
baoa.init = _first(_baoa)  # type: ignore[attr-defined]
sgnht.init = _begin_sgnht  # type: ignore[attr-defined]
