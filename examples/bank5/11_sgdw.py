"""SGD with decoupled weight decay (SGDW), as a PyTorch optimizer with parameter groups.

Momentum is kept as a velocity, which already has the learning rate in it; the decay is decoupled from
the gradient.
"""

import torch


class SGDW(torch.optim.Optimizer):
    def __init__(self, params, lr: float, momentum: float = 0.9, weight_decay: float = 1e-2):
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            shrink = 1 - group["lr"] * group["weight_decay"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                if "velocity" not in self.state[p]:
                    self.state[p]["velocity"] = torch.zeros_like(p)
                velocity = self.state[p]["velocity"]
                velocity.mul_(group["momentum"]).mul_(shrink).sub_(p.grad, alpha=group["lr"])
                p.add_(velocity)
        return loss
