"""torch-sgld's optimizer, made as its users make it; it expects the gradient of the summed loss."""

from __future__ import annotations

from typing import Any

import torch_sgld

Parameters = Any


def sgld(parameters: Parameters, lr: float, temperature: float) -> Any:
    """Without momentum."""
    return torch_sgld.SGLD(parameters, lr=lr, temperature=temperature)


def sghmc(parameters: Parameters, lr: float, momentum: float, temperature: float) -> Any:
    """With momentum."""
    return torch_sgld.SGLD(parameters, lr=lr, momentum=momentum, temperature=temperature)


sgld.loss = sghmc.loss = "sum"  # type: ignore[attr-defined]
