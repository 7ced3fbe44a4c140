"""SGHMC as a PyTorch optimizer; the loss is summed over the data."""
import torch


class FrictionSGHMC(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, friction=0.05, temperature=1.0):
        super().__init__(params, dict(lr=lr, friction=friction, temperature=temperature))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            var = 2 * group["friction"] * group["lr"] * group["temperature"]
            for p in group["params"]:
                state = self.state[p]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = torch.zeros_like(p)
                buf = state["momentum_buffer"]
                buf.sub_(group["friction"] * buf).sub_(group["lr"] * p.grad).add_(torch.randn_like(p) * var**0.5)
                p.add_(buf)
