"""Nesterov's momentum in PyTorch with a compact velocity: levels between its largest entry and its negative."""
import torch

LEVELS = 7


def compact(v):
    scale = v.abs().amax(dim=1, keepdim=True).clamp_min(1e-30)
    return scale, (v / scale * LEVELS).to(torch.int8)


def restore(scale, levels):
    return scale * levels.to(scale.dtype) / LEVELS


def step(state, gradient, generator, lr, momentum):
    theta, v = state["theta"], state["v"]
    v = momentum * v - lr * gradient(theta + momentum * v)
    v = restore(*compact(v))
    return {"theta": theta + v, "v": v}
