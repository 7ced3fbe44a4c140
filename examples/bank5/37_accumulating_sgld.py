"""SGLD with gradient accumulation in PyTorch: three micro-batches to an update.

The gradient of the update is the mean over the micro-batches.
"""

import torch

MICRO_BATCHES = 3


def accumulate_step(theta: torch.Tensor, gradient, generator: torch.Generator, lr: float, num_data: int) -> torch.Tensor:
    accumulated = torch.zeros_like(theta)
    noise = torch.zeros_like(theta)
    for _ in range(MICRO_BATCHES):
        accumulated += gradient(theta)
        noise += torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
    return theta - lr * num_data * accumulated + (2 * lr) ** 0.5 * noise
