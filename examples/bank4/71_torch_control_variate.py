"""SGLD with a fixed point in PyTorch."""
import torch


def step(theta, gradient, generator, lr, mode, N):
    fixed = torch.as_tensor(mode, dtype=theta.dtype).expand_as(theta)
    batch = gradient.draw(theta)
    g = gradient.full(fixed) + gradient(theta, batch) - gradient(fixed, batch)
    noise = torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
    return theta - lr * N * g + (2 * lr) ** 0.5 * noise
