"""Stochastic weight averaging with torch.optim.swa_utils."""
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_avg_fn

torch.set_num_threads(1)


class Point(torch.nn.Module):
    def __init__(self, value):
        super().__init__()
        self.x = torch.nn.Parameter(torch.tensor(value))


def resume(model, mean, seen):
    """An averaged model that has seen ``seen`` iterates."""
    averaged = AveragedModel(model, avg_fn=get_ema_avg_fn(0.9))
    averaged.module.x.data.copy_(torch.tensor(mean))
    averaged.n_averaged.fill_(int(seen))
    return averaged


def init(theta, rng):
    return {"theta": theta.copy(), "m": 0 * theta, "seen": 0 * theta}


def step(state, gradient, rng, lr):
    model = Point(state["theta"])
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    averaged = resume(model, state["m"], state["seen"].flat[0])
    model.x.grad = torch.tensor(gradient(state["theta"]))
    optimizer.step()
    averaged.update_parameters(model)
    return {
        "theta": model.x.detach().numpy(),
        "m": averaged.module.x.detach().numpy(),
        "seen": state["seen"] + 1,
    }
