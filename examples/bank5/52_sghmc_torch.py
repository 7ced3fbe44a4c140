"""SGHMC (Chen, Fox and Guestrin) in PyTorch, velocity first.

Friction ``alpha``, squared time step ``eta``, temperature ``temp``; the gradient noise is not estimated.
"""

import torch


def sghmc_update(state: dict, gradient, generator: torch.Generator, eta: float, alpha: float, temp: float, N: int) -> dict:
    theta, v = state["theta"], state["v"]
    xi = torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
    fluctuation = (2 * alpha * eta * temp) ** 0.5 * xi
    v = torch.sub(v, alpha * v + eta * N * gradient(theta))
    theta = theta + v + fluctuation
    return {"theta": theta, "v": v}
