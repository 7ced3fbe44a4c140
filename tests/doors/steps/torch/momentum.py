# Momentum on tensors in a dict
# check: momentum.py:step --like momentum
import torch


def init(theta, generator):
    return {"theta": theta, "v": torch.zeros_like(theta)}


def step(state, gradient, generator, eps, mu):
    v = (1 - mu) * state["v"] - eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
