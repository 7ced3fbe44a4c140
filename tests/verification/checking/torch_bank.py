"""Samplers in PyTorch: steps, optimizers and transforms, right ones and faulty ones."""

import numpy as np
import torch


def normal(theta, generator):
    return torch.randn(theta.shape, generator=generator, dtype=theta.dtype)


def sgld(theta, gradient, generator, eps, N, H):
    noise = normal(theta, generator) @ torch.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + eps**0.5 * noise


def sgld_global(theta, gradient, generator, eps, N, H):
    """Draws from PyTorch's global generator, as much code does."""
    return (
        theta
        - eps / 2 * N * gradient(theta) @ H
        + eps**0.5 * torch.randn_like(theta) @ (torch.linalg.cholesky(H).T)
    )


def sghmc(state, gradient, generator, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = (2 * (alpha - beta) * eta * tau) ** 0.5 * normal(v, generator)
    return {"theta": theta + v, "v": (1 - alpha) * v - eta * N * gradient(theta) + noise}


def sghmc_summed(state, gradient, generator, eta, alpha, beta, tau):
    """The same on the summed loss."""
    return sghmc(state, gradient, generator, eta, alpha, beta, tau, 1)


sghmc_summed.loss = "sum"


def sgd_in_place(theta, gradient, generator, eps, H):
    return theta.sub_(eps * gradient(theta) @ H)


def sgd_in_place_on_purpose(theta, gradient, generator, eps, H):
    return theta.sub_(eps * gradient(theta) @ H)


sgd_in_place_on_purpose.in_place = True


def baoa(state, gradient, generator, eps, gamma, tau, N):
    x, p = state["x"], state["p"] - eps * N * gradient(state["x"])
    c = float(np.exp(-gamma * eps))
    x = x + eps / 2 * p
    p = c * p + ((1 - c**2) * tau) ** 0.5 * normal(p, generator)
    x = x + eps / 2 * p
    return {"theta": x, "x": x, "p": p}


baoa.init = lambda theta, generator: {"theta": theta, "x": theta, "p": torch.zeros_like(theta)}


def sgld_noise_eps(theta, gradient, generator, eps, N, H):
    noise = normal(theta, generator) @ torch.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + eps * noise


def sghmc_without_n(state, gradient, generator, eta, alpha, beta, tau):
    return sghmc(state, gradient, generator, eta, alpha, beta, tau, 1)


def sgld_numpy_noise(theta, gradient, generator, eps, N):
    """Its numbers come from neither generator."""
    return (
        theta - gradient(theta) + torch.as_tensor(np.random.default_rng().standard_normal(theta.shape))
    )


def sgld_single(theta, gradient, generator, eps):
    return (theta - eps * gradient(theta) + normal(theta, generator))[:, :1]


def returns_numpy(theta, gradient, generator, eps=0.0):
    return theta.numpy().copy()


def sgd_momentum(parameters, eta, alpha):
    """PyTorch's own, on the summed loss: its buffer is -u."""
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha)


sgd_momentum.loss = "sum"


def sgd_momentum_mean(parameters, eta, alpha):
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha)


def sgd_dampened(parameters, eta, alpha):
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha, dampening=alpha)


sgd_dampened.loss = "sum"


def sgd_line(parameters, eps, H):
    """In one dimension, where a gain is a number."""
    return torch.optim.SGD(parameters, lr=eps * float(H))


def momentum_line(parameters, eps, mu, H):
    return torch.optim.SGD(parameters, lr=eps * float(H), momentum=1 - mu)


class SGLD(torch.optim.Optimizer):
    """As people write them: a subclass, noise from the global generator; in one dimension."""

    def __init__(self, params, eps, N, H, power=0.5):
        super().__init__(params, {"eps": eps, "N": N, "H": float(H), "power": power})

    @torch.no_grad()
    def step(self, closure):
        closure()
        for group in self.param_groups:
            eps, N, H = (group[n] for n in ("eps", "N", "H"))
            for p in group["params"]:
                noise = (eps * H) ** group["power"] * torch.randn_like(p)
                p.add_(-eps / 2 * N * H * p.grad + noise)


def sgld_wrong(parameters, eps, N, H):
    return SGLD(parameters, eps, N, H, power=1.0)


class Clipped(torch.optim.SGD):
    """Clips the norm of all gradients together, far above that of one chain."""

    def step(self, closure=None):
        every = [p for group in self.param_groups for p in group["params"]]
        torch.nn.utils.clip_grad_norm_(every, 2e4)
        return super().step(closure)


def clipped(parameters, eta, alpha):
    return Clipped(parameters, lr=eta, momentum=1 - alpha)


def clipped_per_chain(parameters, eta, alpha):
    return Clipped(parameters, lr=eta, momentum=1 - alpha)


clipped.loss = clipped_per_chain.loss = "sum"
clipped_per_chain.per_chain = True


def transform(update):
    """A transform whose state is a named tuple of position and velocity."""
    from collections import namedtuple

    State = namedtuple("State", "params velocity")

    def build(log_posterior, eta, alpha, beta, tau, N):
        def slope(theta, batch):
            return torch.func.grad(lambda x: log_posterior(x, batch)[0])(theta)

        def init(theta):
            return State(theta, torch.zeros_like(theta))

        def step(state, batch):
            noise = (2 * (alpha - beta) * eta * tau) ** 0.5 * torch.randn_like(state.params)
            return State(*update(*state, lambda x: slope(x, batch), eta, alpha, N, noise)), None

        return init, torch.no_grad()(step)

    return build


def _right(theta, v, slope, eta, alpha, N, noise):
    return theta + v, (1 - alpha) * v + eta * N * slope(theta) + noise


def _wrong(theta, v, slope, eta, alpha, N, noise):
    return theta + v, (1 - alpha) * v - eta * N * slope(theta) + noise


sghmc_transform = transform(_right)
sghmc_uphill = transform(_wrong)
sghmc_chain_by_chain = transform(_right)
sghmc_chain_by_chain.per_chain = True
