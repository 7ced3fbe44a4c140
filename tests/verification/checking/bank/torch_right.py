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
