"""langevin-sampling's optimizers, made as its users make them, on the summed loss."""

from __future__ import annotations

from typing import Any

from langevin_sampling.precondSGLD import pSGLD
from langevin_sampling.SGLD import SGLD

Parameters = Any


def sgld(parameters: Parameters, lr: float) -> Any:
    """Without momentum."""
    return SGLD(parameters, lr=lr)


def sgld_momentum(parameters: Parameters, lr: float, momentum: float) -> Any:
    """With momentum."""
    return SGLD(parameters, lr=lr, momentum=momentum)


def psgld(parameters: Parameters, lr: float, beta: float, Lambda: float) -> Any:
    """Preconditioned, not centred."""
    return pSGLD(parameters, lr=lr, beta=beta, Lambda=Lambda)


sgld.loss = sgld_momentum.loss = psgld.loss = "sum"  # type: ignore[attr-defined]
