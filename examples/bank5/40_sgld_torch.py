"""SGLD for PyTorch modules; the loss is the negative log posterior of all N examples, estimated on a minibatch.

It is the *summed* loss, so no factor N is in here. Per-group options are ``lr`` and ``add_noise``.
"""

import torch
from torch.optim import Optimizer


class SGLD(Optimizer):
    def __init__(self, params, lr: float, add_noise: bool = True):
        super().__init__(params, {"lr": lr, "add_noise": add_noise})

    def step(self, closure=None):
        loss = None
        if closure is not None:
            loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                d_p = p.grad.data
                update = d_p.mul(0.5 * group["lr"])
                if group["add_noise"]:
                    update = update + torch.randn_like(p.data) * group["lr"] ** 0.5
                p.data.sub_(update)
        return loss
