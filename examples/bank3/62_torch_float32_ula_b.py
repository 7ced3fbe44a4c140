"""Langevin Monte Carlo in single precision."""
from dataclasses import dataclass

import torch

torch.set_num_threads(1)


@dataclass
class ULA:
    step_size: float
    dtype: torch.dtype = torch.float32

    def __call__(self, x, grad_u, generator):
        x, grad_u = x.to(self.dtype), grad_u.to(self.dtype)
        z = torch.randn(x.shape, generator=generator, dtype=self.dtype)
        return x - self.step_size * grad_u + (2 * self.step_size) ** 0.5 * z


def step(theta, gradient, rng, step_size, N):
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    x = ULA(step_size)(torch.tensor(theta), N * torch.tensor(gradient(theta)), generator)
    return x.double().numpy()
