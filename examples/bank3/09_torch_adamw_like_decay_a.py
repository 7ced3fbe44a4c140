"""Tempered SGLD with decoupled weight decay: weights shrink by 1 - lr decay/2."""
import torch

torch.set_num_threads(1)


class TemperedSGLD:
    def __init__(self, params, lr, nbeta, weight_decay, seed):
        self.params = list(params)
        self.lr, self.nbeta, self.weight_decay = lr, nbeta, weight_decay
        self.generator = torch.Generator().manual_seed(seed)

    def shrink(self, p):
        p.mul_(1 - 0.5 * self.lr * self.weight_decay)

    @torch.no_grad()
    def step(self):
        for p in self.params:
            self.shrink(p)
            noise = torch.randn(p.shape, generator=self.generator, dtype=p.dtype)
            p.add_(p.grad, alpha=-0.5 * self.lr * self.nbeta).add_(noise, alpha=self.lr**0.5)


def step(theta, gradient, rng, lr, nbeta, weight_decay):
    p = torch.tensor(theta)
    p.grad = torch.tensor(gradient(theta))
    TemperedSGLD([p], lr, nbeta, weight_decay, int(rng.integers(2**31))).step()
    return p.numpy()
