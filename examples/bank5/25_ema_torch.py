"""SGLD whose iterates are smoothed by an exponential moving average, in PyTorch."""

import torch


def step(state: dict[str, torch.Tensor], gradient, generator: torch.Generator, eps, decay, N):
    weights, shadow = state["theta"], state["m"]
    noise = torch.empty_like(weights).normal_(generator=generator)
    weights = weights - eps / 2 * N * gradient(weights) + eps**0.5 * noise
    return {"theta": weights, "m": torch.lerp(weights, shadow, decay)}
