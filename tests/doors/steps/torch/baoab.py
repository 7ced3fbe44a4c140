# BAOAB on tensors
# check: baoab.py:step --like underdamped:BAOAB
import math

import torch


def init(theta, generator):
    return {"theta": theta, "v": torch.zeros_like(theta)}


def step(state, gradient, generator, eps, gamma, tau, N):
    q, p = state["theta"], state["v"]
    p = p - eps / 2 * N * gradient(q)
    q = q + eps / 2 * p
    c = math.exp(-gamma * eps)
    p = c * p + math.sqrt(tau * (1 - c * c)) * torch.randn(p.shape, generator=generator, dtype=p.dtype)
    q = q + eps / 2 * p
    p = p - eps / 2 * N * gradient(q)
    return {"theta": q, "v": p}
