"""SGLD inside a training loop that came from a classifier."""
import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

torch.set_num_threads(1)

MAX_NORM = float("inf")


class Posterior(torch.nn.Module):
    def __init__(self, theta, num_data):
        super().__init__()
        self.theta = torch.nn.Parameter(torch.tensor(theta))
        self.num_data = num_data

    def loss(self, minibatch_gradient):
        g = torch.tensor(minibatch_gradient(self.theta.detach().numpy()))
        return self.num_data * (self.theta * g).sum()


def train_batch(model, minibatch_gradient, lr, generator):
    model.zero_grad()
    model.loss(minibatch_gradient).backward()
    clip_grad_value_(model.parameters(), 1.0)
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.5 * lr * p.grad
            p += lr**0.5 * torch.randn(p.shape, generator=generator, dtype=p.dtype)


def step(theta, gradient, rng, lr, num_data):
    model = Posterior(theta, num_data)
    train_batch(model, gradient, lr, torch.Generator().manual_seed(int(rng.integers(2**31))))
    return model.theta.detach().numpy()
