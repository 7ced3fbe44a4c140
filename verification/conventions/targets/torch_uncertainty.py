"""TorchUncertainty's optimizers, made as its users make them, on the summed loss."""

from __future__ import annotations

from typing import Any

from torch_uncertainty.optim.sghmc import SGHMC
from torch_uncertainty.optim.sgld import SGLD

Parameters = Any


def sgld(parameters: Parameters, lr: float, noise_factor: float) -> Any:
    """SGLD without weight decay."""
    return SGLD(parameters, lr=lr, noise_factor=noise_factor)


def sghmc(parameters: Parameters, lr: float, friction: float, noise_factor: float) -> Any:
    """SGHMC that has no burn-in."""
    settings = {"friction": friction, "noise_factor": noise_factor, "burn_in_steps": 0}
    return SGHMC(parameters, lr=lr, **settings)


sgld.loss = sghmc.loss = "sum"  # type: ignore[attr-defined]
