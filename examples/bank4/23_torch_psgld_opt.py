"""Preconditioned SGLD as a PyTorch optimizer, without the Gamma term."""
import torch


class PSGLD(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-2, alpha=0.99, lam=1e-5, num_data=1):
        super().__init__(params, dict(lr=lr, alpha=alpha, lam=lam, num_data=num_data))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            half = group["lr"] / 2
            for p in group["params"]:
                state = self.state[p]
                if len(state) == 0:
                    state["V"] = torch.zeros_like(p)
                V = state["V"]
                V.mul_(group["alpha"]).addcmul_(p.grad, p.grad, value=1 - group["alpha"])
                G = V.sqrt().add_(group["lam"]).reciprocal_()
                p.addcmul_(G, p.grad, value=-half * group["num_data"])
                p.add_(torch.randn_like(p) * (half * G).sqrt())
