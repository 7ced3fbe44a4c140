"""SGLD as a PyTorch optimizer, for a loss that is summed over the data."""
import math

import torch


class Langevin(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            sd = math.sqrt(2 * group["lr"])
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"]).add_(torch.randn_like(p), alpha=sd)
