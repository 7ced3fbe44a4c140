"""SGLD over two parameter groups, each with a generator of its own for reproducibility."""
import torch


def group_noise(shape, seed, dtype):
    gen = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=gen, dtype=dtype)


def step(theta, gradient, generator, lr, N):
    seed = int(torch.randint(2**31, (1,), generator=generator))
    k = theta.shape[1] // 2
    groups = torch.split(theta, [k, theta.shape[1] - k], dim=1)
    grads = torch.split(gradient(theta), [k, theta.shape[1] - k], dim=1)
    new = []
    for p, g in zip(groups, grads):
        noise = group_noise((p.shape[1], p.shape[0]), seed, p.dtype).T
        new.append(p - lr / 2 * N * g + lr**0.5 * noise)
    return torch.cat(new, dim=1)
