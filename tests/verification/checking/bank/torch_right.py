"""Right samplers in PyTorch, all chains at once, as functions and as objects."""

import math

import torch


def randn(like, generator):
    return torch.randn(like.shape, generator=generator, dtype=like.dtype)


def sgd(theta, gradient, generator, eps, H):
    return theta - eps * gradient(theta) @ H


def sgld(theta, gradient, generator, eps, N, H):
    drift = torch.einsum("ij,cj->ci", H, gradient(theta))
    noise = torch.einsum("ij,cj->ci", torch.linalg.cholesky(H), randn(theta, generator))
    return theta - 0.5 * eps * N * drift + math.sqrt(eps) * noise


def momentum(state, gradient, generator, eps, mu, H):
    """In place, on copies of its own."""
    theta, v = state["theta"].clone(), state["v"].clone()
    v.mul_(1 - mu).sub_(gradient(theta) @ H, alpha=eps)
    return {"theta": theta.add_(v), "v": v}


class SGHMC:
    """Chen's update with the old values on both lines."""

    def friction(self, v, alpha):
        return -alpha * v

    def __call__(self, state, gradient, generator, eta, alpha, beta, tau, N):
        theta, v = state["theta"], state["v"]
        change = self.friction(v, alpha) - eta * N * gradient(theta)
        change = change + math.sqrt(2 * (alpha - beta) * eta * tau) * randn(v, generator)
        return {"theta": theta + v, "v": v + change}


sghmc = SGHMC()


def baoab(state, gradient, generator, eps, gamma, tau, N):
    x, v = state["theta"], state["v"]
    v = torch.add(v, gradient(x), alpha=-eps * N / 2)
    x = torch.add(x, v, alpha=eps / 2)
    c = math.exp(-gamma * eps)
    v = c * v + math.sqrt(tau * (1 - c**2)) * randn(v, generator)
    x = torch.add(x, v, alpha=eps / 2)
    return {"theta": x, "v": torch.add(v, gradient(x), alpha=-eps * N / 2)}


def shrinking_steps(state, gradient, generator, eps, b, c, N):
    rate = eps / (b + float(state["t"])) ** c
    x = state["theta"]
    x = x - rate / 2 * N * gradient(x) + math.sqrt(rate) * randn(x, generator)
    return {"theta": x, "t": state["t"] + 1}


shrinking_steps.init = lambda theta, generator: {"theta": theta, "t": torch.zeros(())}


def sgd_with_buffer(parameters, alpha, eta):
    """PyTorch's own optimizer, on the summed loss."""
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha)


sgd_with_buffer.loss = "sum"


class Langevin(torch.optim.Optimizer):
    """SGLD with a gain, in place."""

    def __init__(self, params, lr, gain):
        super().__init__(params, {"lr": lr, "gain": gain, "root": torch.linalg.cholesky(gain)})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                noise = torch.randn_like(p) @ group["root"].T
                p.add_(p.grad @ group["gain"], alpha=-group["lr"] / 2).add_(
                    noise, alpha=group["lr"] ** 0.5
                )


def langevin_optimizer(parameters, eps, H):
    return Langevin(parameters, lr=eps, gain=H)


langevin_optimizer.loss = "sum"
