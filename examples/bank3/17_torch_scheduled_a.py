"""SGLD whose step a scheduler of torch sets: lr times a factor."""
import torch

torch.set_num_threads(1)


class SGLD(torch.optim.Optimizer):
    def __init__(self, params, lr, num_data):
        super().__init__(params, {"lr": lr, "num_data": num_data})

    @torch.no_grad()
    def step(self, generator):
        for group in self.param_groups:
            lr = group["lr"]
            for p in group["params"]:
                z = torch.empty_like(p).normal_(generator=generator)
                p.add_(-lr / 2 * group["num_data"] * p.grad + lr**0.5 * z)


def warm(epoch):
    """Half of the step at first; training ends before it is whole."""
    return 0.5


def step(theta, gradient, rng, lr, num_data):
    p = torch.tensor(theta, requires_grad=True)
    optimizer = SGLD([p], lr, num_data)
    torch.optim.lr_scheduler.LambdaLR(optimizer, warm)
    p.grad = torch.tensor(gradient(theta))
    optimizer.step(torch.Generator().manual_seed(int(rng.integers(2**31))))
    return p.detach().numpy()
