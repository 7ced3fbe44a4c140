"""Thermostat, kick, drift: a first-order splitting in PyTorch."""
import torch


def step(state, gradient, generator, h, gamma, tau, N):
    theta, v = state["theta"], state["v"]
    c = torch.exp(torch.as_tensor(-gamma * h, dtype=v.dtype))
    v = c * v + torch.sqrt(tau * (1 - c**2)) * torch.randn(v.shape, generator=generator, dtype=v.dtype)
    v = v - h * N * gradient(theta)
    theta = theta + h * v
    return {"theta": theta, "v": v}
