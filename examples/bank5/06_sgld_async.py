"""Stochastic gradient Langevin dynamics as a PyTorch optimizer.

``lr`` multiplies the gradient of the log posterior, the noise has variance ``2 * lr``; ``num_data`` is the
number of examples, the loss is their mean.
"""

import math

import torch
from torch.optim import Optimizer


class SGLD(Optimizer):
    def __init__(self, params, lr, num_data):
        defaults = {"lr": lr, "num_data": num_data}
        super().__init__(params, defaults)

    def _fetch(self, p):
        state = self.state[p]
        ready = state.get("grad", p.grad.detach().clone())
        state["grad"] = p.grad.detach().clone()
        return ready

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            lr, n = group["lr"], group["num_data"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.add_(self._fetch(p), alpha=-lr * n)
                p.add_(torch.randn_like(p), alpha=math.sqrt(2 * lr))
        return loss
