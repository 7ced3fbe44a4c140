"""Stochastic gradient Nose-Hoover thermostat in PyTorch."""
import torch


def step(state, gradient, generator, lr, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    noise = torch.randn(v.shape, generator=generator, dtype=v.dtype)
    v = v - lr * xi * v - lr * N * gradient(theta) + (2 * a * lr * tau) ** 0.5 * noise
    theta = theta + lr * v
    xi = xi + lr * (tau - v.square().mean(dim=1, keepdim=True))
    return {"theta": theta, "v": v, "xi": xi}
