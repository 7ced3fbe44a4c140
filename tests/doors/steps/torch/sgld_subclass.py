# SGLD as torch's SGD with noise after its step
# check: sgld_subclass.py:make --like sgld
# wave: 2
import torch


class NoisySGD(torch.optim.SGD):
    def __init__(self, params, lr, scale):
        super().__init__(params, lr=lr)
        self.scale = scale

    @torch.no_grad()
    def step(self, closure=None):
        super().step(closure)
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(self.scale * torch.randn_like(p))


def make(params, eps, N):
    return NoisySGD(params, lr=eps / 2 * N, scale=eps**0.5)
