"""Right samplers in PyTorch: noise within the gradient, buffers of their own, units of their own."""

import math

import torch


def randn(like, generator):
    return torch.randn(like.shape, generator=generator, dtype=like.dtype)


class NoisyGradients(torch.optim.Optimizer):
    """SGLD whose noise is added to the gradient, and made up for."""

    def __init__(self, params, lr, gain):
        super().__init__(params, {"lr": lr, "gain": gain, "root": torch.linalg.cholesky(gain)})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                noise = torch.randn_like(p) @ group["root"].T * 2 / math.sqrt(group["lr"])
                p.add_(p.grad @ group["gain"] + noise, alpha=-0.5 * group["lr"])


def noisy_gradients(parameters, eps, H):
    return NoisyGradients(parameters, lr=eps, gain=H)


noisy_gradients.loss = "sum"


class Heavy(torch.optim.Optimizer):
    """SGD with a buffer in the optimizer's state, which has the step and a minus sign in it."""

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                v = self.state[p].setdefault("v", torch.zeros_like(p))
                v.mul_(1 - group["alpha"]).sub_(p.grad, alpha=group["lr"])
                p.add_(v)


def heavy(parameters, alpha, eta):
    return Heavy(parameters, {"lr": eta, "alpha": alpha})


heavy.loss = "sum"


def halves(state, gradient, generator, eps, gamma, tau, N):
    """OBA, with a momentum m times the velocity."""
    m = 4.0
    x, p = state["theta"], state["p"]
    c = math.exp(-gamma * eps)
    p = c * p + m * math.sqrt(tau * (1 - c * c)) * randn(p, generator)
    p = p - m * eps * N * gradient(x)
    return {"theta": x + eps * p / m, "p": p}


halves.init = lambda theta, generator: {"theta": theta, "p": torch.zeros_like(theta)}


def thermostat(state, gradient, generator, eta, a, tau, N):
    """SGNHT with the damping taken out first, from the old velocity."""
    x, v, xi = state["theta"], state["v"], state["xi"]
    force = -N * gradient(x)
    v = torch.lerp(v, torch.zeros_like(v), eta * xi).add(force, alpha=eta)
    v = v + (2 * a * eta * tau) ** 0.5 * randn(v, generator)
    xi = xi + eta * (v.square().mean(dim=1, keepdim=True) - tau)
    return {"theta": torch.add(x, v, alpha=eta), "v": v, "xi": xi}
