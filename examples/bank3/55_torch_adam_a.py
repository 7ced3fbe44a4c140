"""Adam, written out so that its moments can be looked at."""
import torch

torch.set_num_threads(1)


class PlainAdam(torch.optim.Optimizer):
    def __init__(self, params, lr, beta1, beta2, eps):
        super().__init__(params, dict(lr=lr, beta1=beta1, beta2=beta2, eps=eps))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["beta1"], group["beta2"]
            for p in group["params"]:
                s = self.state[p]
                s["exp_avg"].lerp_(p.grad, 1 - b1)
                s["exp_avg_sq"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                m_hat = s["exp_avg"] / (1 - b1 ** (s["step"] + 2))
                v_hat = s["exp_avg_sq"] / (1 - b2 ** (s["step"] + 2))
                p.sub_(group["lr"] * m_hat / (v_hat.sqrt() + group["eps"]))
                s["step"] = s["step"] + 1


def init(theta, rng):
    return {"theta": theta.copy(), "u": 0 * theta, "v": 0 * theta, "count": 0 * theta}


def step(state, gradient, rng, lr, beta1, beta2, eps):
    p = torch.nn.Parameter(torch.tensor(state["theta"]))
    optimizer = PlainAdam([p], lr, beta1, beta2, eps)
    optimizer.state[p] = {
        "step": torch.tensor(state["count"]),
        "exp_avg": torch.tensor(state["u"]),
        "exp_avg_sq": torch.tensor(state["v"]),
    }
    p.grad = torch.tensor(gradient(state["theta"]))
    optimizer.step()
    s = optimizer.state[p]
    return {
        "theta": p.detach().numpy(),
        "u": s["exp_avg"].numpy(),
        "v": s["exp_avg_sq"].numpy(),
        "count": s["step"].numpy(),
    }
