"""SGLD as a torch.optim.Optimizer.

The loss is the mean over the ``dataset_size`` examples; its gradient is scaled up to that of the whole
data set. The discretisation is that of d theta = -grad U dt + sqrt(2) dW with time step ``lr``.
"""

import torch


class Langevin(torch.optim.Optimizer):
    def __init__(self, params, lr: float, dataset_size: float):
        super().__init__(params, dict(lr=lr, dataset_size=dataset_size))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            lr = group["lr"]
            for p in (q for q in group["params"] if q.grad is not None):
                noise = torch.normal(torch.zeros_like(p), lr**0.5)
                p.copy_(p - lr * group["dataset_size"] * p.grad + noise)
        return loss
