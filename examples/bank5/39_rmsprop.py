"""RMSprop (Tieleman and Hinton) as a PyTorch optimizer.

``alpha`` is the smoothing constant of the squared gradients, ``eps`` is added to their root.
"""

import torch


class RMSProp(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8):
        super().__init__(params, dict(lr=lr, alpha=alpha, eps=eps))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                square_avg = self.state[p].setdefault("square_avg", torch.zeros_like(p))
                square_avg.mul_(group["alpha"]).addcmul_(p.grad, p.grad)
                p.addcdiv_(p.grad, square_avg.sqrt().add_(group["eps"]), value=-group["lr"])
        return loss
