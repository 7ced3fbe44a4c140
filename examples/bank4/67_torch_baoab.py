"""BAOAB in PyTorch."""
import math

import torch


def step(state, gradient, generator, lr, friction, temperature, N):
    theta, v = state["theta"], state["v"]
    c = math.exp(-lr * friction)
    v = v - 0.5 * lr * N * gradient(theta)
    theta = theta + 0.5 * lr * v
    noise = torch.randn(v.shape, generator=generator, dtype=v.dtype)
    v = c * v + math.sqrt(temperature) * (1 - c) * noise
    theta = theta + 0.5 * lr * v
    v = v - 0.5 * lr * N * gradient(theta)
    return {"theta": theta, "v": v}
