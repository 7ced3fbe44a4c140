"""RMSprop as a PyTorch optimizer."""
import torch


class RMS(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01, rho=0.99, small=1e-8):
        super().__init__(params, dict(lr=lr, rho=rho, small=small))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                square = self.state[p].setdefault("square", torch.zeros_like(p))
                square.lerp_(p.grad.square(), 1 - group["rho"])
                p.addcdiv_(p.grad, square.sqrt() + group["small"], value=-group["lr"])
