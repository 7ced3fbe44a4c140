"""SGD with heavy-ball momentum as a PyTorch optimizer."""
import torch


class HeavyBall(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01, momentum=0.9, dampening=None):
        dampening = dampening or momentum
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "buffer" not in state:
                    state["buffer"] = torch.zeros_like(p)
                buf = state["buffer"]
                buf.mul_(group["momentum"]).add_(p.grad, alpha=1 - group["dampening"])
                p.sub_(group["lr"] * buf)
