"""Momentum SGD in PyTorch with gradients accumulated over two micro-batches."""
import torch


def step(state, gradient, generator, lr, beta):
    theta, v = state["theta"], state["v"]
    grads = []
    for _ in range(2):
        buffer = gradient(theta)
        grads = [buffer for _ in range(2)]
    v = beta * v + torch.stack(grads).mean(dim=0)
    return {"theta": theta - lr * v, "v": v}
