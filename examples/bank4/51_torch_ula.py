"""Full-batch Langevin in PyTorch."""
import torch


def step(theta, gradient, generator, step_size, N):
    drift = -step_size * N * gradient.full(theta)
    noise = torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
    return theta + drift + step_size**0.5 * noise
