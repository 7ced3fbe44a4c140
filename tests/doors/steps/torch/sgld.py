# SGLD on tensors with a generator
# check: sgld.py:step --like sgld
import torch


def step(theta, gradient, generator, eps, N):
    noise = torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
    return theta - eps / 2 * N * gradient(theta) + eps**0.5 * noise
