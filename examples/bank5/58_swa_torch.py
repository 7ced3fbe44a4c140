"""SGLD with a shadow copy of the parameters, an exponential moving average with factor ``decay``, in PyTorch."""

import torch


class Shadow:
    def __init__(self, decay):
        self.decay = decay

    def update(self, shadow, params):
        return shadow - (1 - self.decay) * (shadow - params)


def sgld_with_shadow(state: dict, gradient, generator: torch.Generator, lr: float, decay: float, N: int) -> dict:
    params, shadow = state["theta"], state["m"]
    shadow = Shadow(decay).update(shadow, params)
    noise = torch.randn(params.shape, generator=generator, dtype=params.dtype)
    params = params - 0.5 * lr * N * gradient(params) + lr**0.5 * noise
    return {"theta": params, "m": shadow}
