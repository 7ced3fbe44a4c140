"""Nesterov's method with parameters shifted to the look-ahead for the backward pass."""
import torch

torch.set_num_threads(1)


class LookaheadSGD(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    @torch.no_grad()
    def step(self, closure):
        backup = {}
        for group in self.param_groups:
            for p in group["params"]:
                backup[p] = p.detach()
                p.add_(self.state[p]["velocity"], alpha=group["momentum"])
        with torch.enable_grad():
            loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                p.copy_(backup[p])
                velocity = self.state[p]["velocity"]
                velocity.mul_(group["momentum"]).sub_(p.grad, alpha=group["lr"])
                p.add_(velocity)
        return loss


def step(state, gradient, rng, lr, momentum):
    p = torch.nn.Parameter(torch.tensor(state["theta"]))
    optimizer = LookaheadSGD([p], lr, momentum)
    optimizer.state[p]["velocity"] = torch.tensor(state["v"])

    def closure():
        optimizer.zero_grad()
        loss = (p * torch.tensor(gradient(p.detach().numpy().copy()))).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return {"theta": p.detach().numpy(), "v": optimizer.state[p]["velocity"].numpy()}
