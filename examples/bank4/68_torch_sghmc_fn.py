"""SGHMC in PyTorch: the position moves with the velocity that it has, then the velocity is renewed."""
import math

import torch


def step(state, gradient, generator, lr, momentum, N):
    theta, v = state["theta"], state["v"]
    theta = theta + v
    noise = torch.randn(v.shape, generator=generator, dtype=v.dtype)
    v = momentum * v - lr * N * gradient(theta) + math.sqrt(2 * (1 - momentum) * lr) * noise
    return {"theta": theta, "v": v}
