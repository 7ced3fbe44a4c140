"""Underdamped Langevin dynamics in PyTorch with the ABOBA splitting.

Half a drift, half a kick, the exact Ornstein-Uhlenbeck flow, half a kick on a new minibatch, half a drift.
"""

import math

import torch


def aboba_step(state: dict, gradient, generator: torch.Generator, dt: float, gamma: float, tau: float, N: int) -> dict:
    q, v = state["theta"], state["v"]
    c = math.exp(-gamma * dt)
    q = q + 0.5 * dt * v
    v = v - 0.5 * dt * N * gradient(q)
    z = torch.randn(v.shape, generator=generator, dtype=v.dtype)
    v = c * v + math.sqrt((1 - c * c) * tau) * z
    q = q + 0.5 * dt * v
    v = v - 0.5 * dt * N * gradient(q)
    return {"theta": q, "v": v}
