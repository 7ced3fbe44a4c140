"""torch-optimizer's optimizers, made as its users make them."""

from __future__ import annotations

from typing import Any

import torch_optimizer

Parameters = Any


def sgdw(parameters: Parameters, lr: float, weight_decay: float) -> Any:
    """SGD with what it calls decoupled weight decay."""
    return torch_optimizer.SGDW(parameters, lr=lr, weight_decay=weight_decay)


def qhm(parameters: Parameters, lr: float, momentum: float, nu: float) -> Any:
    """Quasi-hyperbolic momentum."""
    return torch_optimizer.QHM(parameters, lr=lr, momentum=momentum, nu=nu)
