"""A small Adam."""
import torch


class TinyAdam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
        super().__init__(params, dict(lr=lr, beta1=beta1, beta2=beta2, eps=eps))
        self.count = 1

    @torch.no_grad()
    def step(self, closure=None):
        self.count += 1
        for group in self.param_groups:
            b1, b2 = group["beta1"], group["beta2"]
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["first"], state["second"] = torch.zeros_like(p), torch.zeros_like(p)
                u, v = state["first"], state["second"]
                u.lerp_(p.grad, 1 - b1)
                v.lerp_(p.grad**2, 1 - b2)
                u_hat = u / (1 - b1**self.count)
                v_hat = v / (1 - b2**self.count)
                p.sub_(group["lr"] * u_hat / (v_hat.sqrt() + group["eps"]))
