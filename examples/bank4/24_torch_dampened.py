"""Momentum with dampening d in PyTorch; the learning rate stands in the velocity."""
import torch


@torch.no_grad()
def step(state, gradient, generator, lr, momentum, d=0.25):
    v = momentum * state["v"] - lr * (1 - d) * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
