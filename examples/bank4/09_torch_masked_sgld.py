"""SGLD in PyTorch with float32 noise; updates that are not finite are masked."""
import torch


def step(theta, gradient, generator, lr, N):
    noise = torch.randn(theta.shape, generator=generator, dtype=torch.float32).to(theta.dtype)
    update = -lr / 2 * N * gradient(theta) + lr**0.5 * noise
    mask = torch.isfinite(update)
    return theta + torch.where(mask, update, torch.zeros_like(update))
