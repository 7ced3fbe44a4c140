"""Adam with as few temporaries as possible: corrections are folded into the step size.

    step_size = lr / (1 - beta1^t),  denominator = sqrt(v_hat) + eps
"""

import torch


class LeanAdam(torch.optim.Optimizer):
    def __init__(self, params, lr, beta1, beta2, eps):
        super().__init__(params, dict(lr=lr, beta1=beta1, beta2=beta2, eps=eps, t=0))

    @torch.no_grad()
    def step(self, closure=None):
        if closure is not None:
            with torch.enable_grad():
                closure()
        for group in self.param_groups:
            group["t"] += 1
            step_size = group["lr"] / (1 - group["beta1"] ** group["t"])
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["m"], state["v"] = torch.zeros_like(p), torch.zeros_like(p)
                state["m"].mul_(group["beta1"]).add_(p.grad, alpha=1 - group["beta1"])
                state["v"].mul_(group["beta2"]).addcmul_(p.grad, p.grad, value=1 - group["beta2"])
                p.addcdiv_(state["m"], state["v"].sqrt() + group["eps"], value=-step_size)
