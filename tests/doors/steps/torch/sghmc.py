# SGHMC on tensors, both lines with the old values
# check: sghmc.py:step --like sghmc
import torch


def init(theta, generator):
    return {"theta": theta, "v": torch.zeros_like(theta)}


def step(state, gradient, generator, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = (
        torch.randn(v.shape, generator=generator, dtype=v.dtype)
        * (2 * (alpha - beta) * eta * tau) ** 0.5
    )
    return {"theta": theta + v, "v": (1 - alpha) * v - eta * N * gradient(theta) + noise}
