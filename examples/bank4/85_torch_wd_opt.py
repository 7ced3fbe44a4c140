"""SGD with L2 regularisation, as a PyTorch optimizer with parameter groups."""
import torch


class SGDL2(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, wd=0.0):
        super().__init__(params, dict(lr=lr, wd=wd))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                d_p = p.grad.add(p, alpha=group["lr"] * group["wd"])
                p.add_(d_p, alpha=-group["lr"])
