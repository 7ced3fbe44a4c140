"""Fortuna's integrators, which are optax transformations, handed the gradient of the log density."""

from __future__ import annotations

from typing import Any

import optax
from fortuna.prob_model.posterior.sgmcmc.sghmc.sghmc_integrator import sghmc_integrator
from fortuna.prob_model.posterior.sgmcmc.sgmcmc_preconditioner import identity_preconditioner
from fortuna.prob_model.posterior.sgmcmc.sgmcmc_step_schedule import constant_schedule


def sghmc(step_size: float, momentum_decay: float, key: Any) -> Any:
    """SGHMC at a constant step."""
    made = sghmc_integrator(
        momentum_decay=momentum_decay,
        momentum_resample_steps=None,
        rng_key=key,
        step_schedule=constant_schedule(step_size),
        preconditioner=identity_preconditioner(),
    )
    return optax.chain(optax.scale(-1.0), made)


def cyclical_sgld(step_size: float, key: Any) -> Any:
    """The sampling part of a cycle, as the integrator of cycles makes it."""
    return sghmc(step_size, 0.0, key)


sghmc.kind = cyclical_sgld.kind = "optax"  # type: ignore[attr-defined]
sghmc.loss = cyclical_sgld.loss = "sum"  # type: ignore[attr-defined]
