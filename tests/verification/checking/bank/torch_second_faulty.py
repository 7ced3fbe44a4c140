"""Faulty samplers in PyTorch, a second set: see ``expected_second.py``."""

import math

import torch


class UniformLangevin(torch.optim.Optimizer):
    def __init__(self, params, lr, gain):
        super().__init__(params, {"lr": lr, "gain": gain, "root": torch.linalg.cholesky(gain)})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                noise = torch.rand_like(p) @ group["root"].T
                p.add_(p.grad @ group["gain"], alpha=-group["lr"] / 2)
                p.add_(noise, alpha=math.sqrt(group["lr"]))


def rand_for_randn(parameters, eps, H):
    return UniformLangevin(parameters, lr=eps, gain=H)


rand_for_randn.loss = "sum"


def nesterov_left_on(parameters, alpha, eta):
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha, nesterov=True)


nesterov_left_on.loss = "sum"


def decay_left_on(theta, gradient, generator, eps, H):
    """Decoupled weight decay of 0.01 from the training script."""
    return theta.mul(1 - 0.01) - eps * gradient(theta) @ H


def moving_average(state, gradient, generator, eps, H):
    theta = state["theta"] - eps * gradient(state["theta"]) @ H
    return {"theta": theta, "m": torch.lerp(state["m"], theta, 0.01)}


moving_average.init = lambda theta, generator: {"theta": theta, "m": torch.zeros_like(theta)}


def refreshes_to_zero(state, gradient, generator, eta, alpha, beta, tau, N, L):
    theta, v, k = state["theta"], state["v"], state["k"]
    if int(k) % int(L) == 0:
        v = torch.zeros_like(v)
    noise = torch.randn(v.shape, generator=generator, dtype=v.dtype)
    v = (1 - alpha) * v - eta * N * gradient(theta) + math.sqrt(2 * (alpha - beta) * eta * tau) * noise
    return {"theta": theta + v, "v": v, "k": k + 1}


refreshes_to_zero.init = lambda theta, generator: {
    "theta": theta,
    "v": torch.zeros_like(theta),
    "k": torch.zeros(()),
}


def one_noise_for_all_coordinates(state, gradient, generator, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = torch.randn((len(v), 1), generator=generator, dtype=v.dtype)
    v = (1 - alpha) * v - eta * N * gradient(theta) + math.sqrt(2 * (alpha - beta) * eta * tau) * noise
    return {"theta": theta + v, "v": v}
