"""The BAOAB integrator of Leimkuhler and Matthews, unit masses, in PyTorch.

Each of the two kicks draws a minibatch.
"""

import math

import torch


def kick(v, gradient, q, h, N):
    return v.add(gradient(q), alpha=-h * N)


def fluctuate(v, friction, h, temperature, generator):
    keep = math.exp(-friction * h)
    return keep * v + math.sqrt(temperature * (-math.expm1(-2 * friction * h))) * torch.randn(
        v.size(), dtype=v.dtype, generator=generator
    )


def baoab(state: dict, gradient, generator: torch.Generator, step_size: float, friction: float, temperature: float, N: float):
    q, v = state["theta"], state["v"]
    v = kick(v, gradient, q, step_size / 2, N)
    q = q + step_size / 2 * v
    v = fluctuate(v, friction, step_size, temperature, generator)
    q = q + step_size / 2 * v
    v = kick(v, gradient, q, step_size / 2, N)
    return {"theta": q, "v": v}
