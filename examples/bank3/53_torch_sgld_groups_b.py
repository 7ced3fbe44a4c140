"""SGLD as a torch optimizer. Tensors have the particles in their last axis."""
import numpy as np
import torch

torch.set_num_threads(1)


class SGLD(torch.optim.Optimizer):
    """theta <- theta - lr/2 num_data grad + N(0, lr). Seeds are made from ``seed``, one for each tensor."""

    def __init__(self, params, lr, num_data, seed):
        super().__init__(params, dict(lr=lr, num_data=num_data))
        self.seed = seed

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        count = 0
        for group in self.param_groups:
            for p in group["params"]:
                generator = torch.Generator().manual_seed(self.seed)
                count += 1
                noise = torch.randn(p.shape, generator=generator, dtype=p.dtype)
                p.add_(p.grad, alpha=-0.5 * group["lr"] * group["num_data"])
                p.add_(noise, alpha=group["lr"] ** 0.5)
        return loss


def step(theta, gradient, rng, lr, num_data):
    cut = theta.shape[1] // 2
    grad = gradient(theta)
    bias = torch.nn.Parameter(torch.tensor(theta[:, :cut].T.copy()))
    weight = torch.nn.Parameter(torch.tensor(theta[:, cut:].T.copy()))
    bias.grad = torch.tensor(grad[:, :cut].T.copy())
    weight.grad = torch.tensor(grad[:, cut:].T.copy())
    groups = [{"params": [weight]}, {"params": [bias]}]
    SGLD(groups, lr, num_data, int(rng.integers(2**31))).step()
    return np.concatenate([bias.detach().numpy().T, weight.detach().numpy().T], axis=1)
