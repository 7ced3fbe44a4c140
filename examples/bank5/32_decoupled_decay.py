"""Momentum SGD with decoupled weight decay, for several tensors at once.

Decay first, by ``lr * weight_decay``, then the step along the velocity, so neither enters the other.
"""

import torch


class SGDWithDecay(torch.optim.Optimizer):
    def __init__(self, params, lr, mu, weight_decay):
        super().__init__(params, dict(lr=lr, mu=mu, weight_decay=weight_decay))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["v"] = torch.zeros_like(p, memory_format=torch.preserve_format)

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            grads = [p.grad for p in params]
            velocities = [self.state[p]["v"] for p in params]
            torch._foreach_mul_(params, 1.0 - group["lr"] * group["weight_decay"])
            torch._foreach_mul_(velocities, 1.0 - group["mu"])
            torch._foreach_add_(velocities, grads, alpha=-group["lr"])
            torch._foreach_add_(params, velocities)
        return loss
