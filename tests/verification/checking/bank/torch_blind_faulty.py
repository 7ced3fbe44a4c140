"""Samplers in PyTorch as they are handed in for review: none of them has the law that it should."""

import math

import torch


def randn(like, generator):
    return torch.randn(like.shape, generator=generator, dtype=like.dtype)


class NoisyGradients(torch.optim.Optimizer):
    """SGLD whose noise is added to the gradient."""

    def __init__(self, params, lr, gain):
        super().__init__(params, {"lr": lr, "gain": gain, "root": torch.linalg.cholesky(gain)})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                noise = torch.randn_like(p) @ group["root"].T / math.sqrt(group["lr"])
                p.add_(p.grad @ group["gain"] + noise, alpha=-0.5 * group["lr"])


def noisy_gradients(parameters, eps, H):
    return NoisyGradients(parameters, lr=eps, gain=H)


noisy_gradients.loss = "sum"


def dampened(parameters, alpha, eta):
    """PyTorch's own optimizer as a moving average."""
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha, dampening=1 - alpha)


dampened.loss = "sum"


def accelerated(parameters, alpha, eta):
    """PyTorch's own optimizer at its best."""
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha, nesterov=True)


accelerated.loss = "sum"


def inert(parameters, alpha, eta):
    """PyTorch's own optimizer."""
    return torch.optim.SGD(parameters, lr=eta, momentum=alpha)


inert.loss = "sum"


def one_draw(theta, gradient, generator, eps, N, H):
    """SGLD; PyTorch fits the shapes."""
    root = torch.linalg.cholesky(H)
    noise = root @ torch.randn(theta.shape[1], generator=generator, dtype=theta.dtype)
    return theta - eps / 2 * N * gradient(theta) @ H + math.sqrt(eps) * noise


def seeded(theta, gradient, generator, eps, N, H):
    """SGLD that can be repeated."""
    own = torch.Generator().manual_seed(1)
    noise = randn(theta, own) @ torch.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + math.sqrt(eps) * noise


def scheduled(state, gradient, generator, eps, N, H):
    """SGLD with a schedule, as for training."""
    theta, k = state["theta"], state["k"]
    rate = eps / (1 + float(k)) ** 0.55
    noise = randn(theta, generator) @ torch.linalg.cholesky(H).T
    theta = theta - rate / 2 * N * gradient(theta) @ H + math.sqrt(rate) * noise
    return {"theta": theta, "k": k + 1}


scheduled.init = lambda theta, generator: {"theta": theta, "k": torch.zeros(())}


def steady_noise(state, gradient, generator, eps, b, c, N):
    """SGLD whose rate shrinks."""
    theta, k = state["theta"], state["k"]
    rate = eps / (b + float(k)) ** c
    theta = theta - rate / 2 * N * gradient(theta) + math.sqrt(eps) * randn(theta, generator)
    return {"theta": theta, "k": k + 1}


steady_noise.init = lambda theta, generator: {"theta": theta, "k": torch.zeros(())}


class SGHMC:
    """Chen's sampler, velocity first, with the noise within the force."""

    def __call__(self, state, gradient, generator, eta, alpha, beta, tau, N):
        theta, v = state["theta"], state["v"]
        force = -N * gradient(theta) + math.sqrt(2 * (alpha - beta) * tau) * randn(v, generator)
        v = (1 - alpha) * v + eta * force
        return {"theta": theta + v, "v": v}


sghmc = SGHMC()
