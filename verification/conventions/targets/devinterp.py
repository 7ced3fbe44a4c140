"""devinterp's samplers, made as its users make them; all chains are one parameter of theirs."""

from __future__ import annotations

import warnings
from typing import Any

from devinterp.optim import SGMCMC

Parameters = Any
warnings.filterwarnings("ignore", message=".*(nbeta set to 1|noise_level in SGLD)")


def sgld(
    parameters: Parameters, lr: float, noise_level: float, weight_decay: float, nbeta: float
) -> Any:
    """SGLD without localization."""
    settings = {"noise_level": noise_level, "weight_decay": weight_decay, "nbeta": nbeta}
    return SGMCMC.sgld(parameters, lr=lr, **settings)


def sgnht(parameters: Parameters, lr: float, diffusion_factor: float, nbeta: float) -> Any:
    """What is called SGNHT."""
    return SGMCMC.sgnht(parameters, lr=lr, diffusion_factor=diffusion_factor, nbeta=nbeta)


def rmsprop_sgld(parameters: Parameters, lr: float, nbeta: float, alpha: float, eps: float) -> Any:
    """SGLD preconditioned by RMSprop, without a prior."""
    return SGMCMC.rmsprop_sgld(parameters, lr=lr, nbeta=nbeta, alpha=alpha, eps=eps)
