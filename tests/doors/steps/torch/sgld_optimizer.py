# SGLD as an optimizer of the user's
# check: sgld_optimizer.py:SGLD --like sgld --with lr=eps/2
import torch


class SGLD(torch.optim.Optimizer):
    def __init__(self, params, lr, N):
        super().__init__(params, {"lr": lr, "N": N})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.add_(p.grad, alpha=-group["lr"] * group["N"])
                p.add_(torch.randn_like(p), alpha=(2 * group["lr"]) ** 0.5)
