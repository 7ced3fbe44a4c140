"""SGHMC as a PyTorch optimizer. The loss is the negative log posterior, summed over the data."""
import torch


class SGHMC(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, friction=0.1):
        super().__init__(params, dict(lr=lr, friction=friction))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            lr, friction = group["lr"], group["friction"]
            sd = (2 * friction * lr) ** 0.5
            for p in group["params"]:
                state = self.state[p]
                v = state.setdefault("v", torch.zeros_like(p))
                v.mul_(1 - friction).sub_(lr * p.grad)
                p.add_(v).add_(torch.randn_like(p), alpha=sd)
