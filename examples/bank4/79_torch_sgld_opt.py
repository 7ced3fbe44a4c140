"""SGLD as a PyTorch optimizer."""
import torch
from torch.optim import Optimizer


class SGLD(Optimizer):
    """lr is the step: half of it for the drift. num_data turns the mean loss into the sum."""

    def __init__(self, params, lr=1e-3, num_data=1):
        super().__init__(params, dict(lr=lr, num_data=num_data))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            lr = group["lr"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                noise = torch.normal(torch.zeros_like(p), lr)
                p.add_(p.grad, alpha=-0.5 * lr * group["num_data"])
                p.add_(noise)
