"""Faulty samplers in PyTorch. What is wrong with each stands in an ``expected`` file, not here."""

import math

import torch


def _randn(like, generator):
    return torch.randn(like.shape, generator=generator, dtype=like.dtype)


def _drift(theta, gradient, eps, N, H):
    return -0.5 * eps * N * gradient(theta) @ H


def rand_like(theta, gradient, generator, eps, N, H):
    xi = torch.rand(theta.shape, generator=generator, dtype=theta.dtype)
    return theta + _drift(theta, gradient, eps, N, H) + math.sqrt(eps) * xi @ torch.linalg.cholesky(H).T


def student(theta, gradient, generator, eps, N, H):
    """Normals over the root of a chi-square with five degrees of freedom, of variance 1."""
    chi = sum(_randn(theta, generator) ** 2 for _ in range(5))
    xi = _randn(theta, generator) * torch.sqrt(3 / chi)
    return theta + _drift(theta, gradient, eps, N, H) + math.sqrt(eps) * xi @ torch.linalg.cholesky(H).T


class NoisyGradient:
    """The noise goes into the gradient, which the step multiplies."""

    def __call__(self, theta, gradient, generator, eps, N, H):
        root = torch.linalg.inv(torch.linalg.cholesky(H))
        g = N * gradient(theta) + math.sqrt(eps) * _randn(theta, generator) @ root
        return theta - 0.5 * eps * g @ H


noisy_gradient = NoisyGradient()


def seeded_inside(theta, gradient, generator, eps, N, H):
    torch.manual_seed(0)
    xi = torch.randn_like(theta)
    return theta + _drift(theta, gradient, eps, N, H) + math.sqrt(eps) * xi @ torch.linalg.cholesky(H).T


def random_device(theta, gradient, generator, eps, N, H):
    """A generator of its own, seeded by the machine."""
    own = torch.Generator()
    own.seed()
    xi = _randn(theta, own)
    return theta + _drift(theta, gradient, eps, N, H) + math.sqrt(eps) * xi @ torch.linalg.cholesky(H).T


def weight_decay(theta, gradient, generator, eps, H, decay=0.1):
    g = gradient(theta) + decay * theta
    return theta - eps * g @ H


def dampening(state, gradient, generator, eps, mu, H):
    buffer = (1 - mu) * state["buffer"] + (1 - (1 - mu)) * gradient(state["theta"])
    return {"theta": state["theta"] - eps * buffer @ H, "buffer": buffer}


dampening.init = lambda theta, generator: {"theta": theta, "buffer": torch.zeros_like(theta)}


def heavy_ball_with_alias(state, gradient, generator, eps, mu, H):
    """The previous position is kept by reference, and then written over."""
    theta = state["theta"].clone()
    previous = theta
    push = (1 - mu) * (theta - state["previous"]) - eps * gradient(theta) @ H
    theta += push
    return {"theta": theta, "previous": previous}


heavy_ball_with_alias.init = lambda theta, generator: {"theta": theta, "previous": theta.clone()}


def variance_for_deviation(state, gradient, generator, eta, alpha, beta, tau, N):
    x, v = state["theta"], state["v"]
    variance = 2 * (alpha - beta) * eta * tau
    noise = torch.normal(torch.zeros_like(v), variance, generator=generator)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + noise}


def temperature_ignored(state, gradient, generator, eta, alpha, beta, tau, N):
    x, v = state["theta"], state["v"]
    noise = math.sqrt(2 * (alpha - beta) * eta) * _randn(v, generator)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + noise}


def temperature_for_its_root(state, gradient, generator, eps, gamma, tau, N):
    """BAOAB with kT where its root should be."""
    x, v = state["theta"], state["v"] - eps / 2 * N * gradient(state["theta"])
    x = x + eps / 2 * v
    c = math.exp(-gamma * eps)
    v = c * v + math.sqrt(1 - c**2) * tau * _randn(v, generator)
    x = x + eps / 2 * v
    return {"theta": x, "v": v - eps / 2 * N * gradient(x)}


def without_last_kick(state, gradient, generator, eps, gamma, tau, N):
    x, v = state["theta"], state["v"] - eps / 2 * N * gradient(state["theta"])
    x = x + eps / 2 * v
    c = math.exp(-gamma * eps)
    v = c * v + math.sqrt((1 - c**2) * tau) * _randn(v, generator)
    return {"theta": x + eps / 2 * v, "v": v}


def never_zeroed(state, gradient, generator, eps, H):
    """Gradients are added to those that are there already."""
    grad = state["grad"] + gradient(state["theta"])
    return {"theta": state["theta"] - eps * grad @ H, "grad": grad}


never_zeroed.init = lambda theta, generator: {"theta": theta, "grad": torch.zeros_like(theta)}


def brain_float(theta, gradient, generator, eps, N, H):
    """Computed in bfloat16, as under autocast."""
    x = theta.to(torch.bfloat16)
    step = (
        _drift(theta, gradient, eps, N, H)
        + math.sqrt(eps) * _randn(theta, generator) @ torch.linalg.cholesky(H).T
    )
    return (x + step.to(torch.bfloat16)).to(theta.dtype)


def clipped_values(theta, gradient, generator, eps, N, H):
    g = torch.clamp(gradient(theta), -1.0, 1.0)
    return (
        theta
        - 0.5 * eps * N * g @ H
        + math.sqrt(eps) * _randn(theta, generator) @ torch.linalg.cholesky(H).T
    )


def squeezed(theta, gradient, generator, eps, H):
    """In one dimension an axis goes missing."""
    return (theta - eps * gradient(theta) @ H).squeeze()


def detached_from_inputs(theta, gradient, generator, eps, H):
    """A buffer allocated with the wrong size."""
    update = torch.zeros(theta.shape[-1] + 1)
    update[:] = gradient(theta)[0]
    return theta - eps * update


def buffer_of_means(parameters, alpha, eta):
    return torch.optim.SGD(parameters, lr=eta, momentum=1 - alpha)


class BurnInLangevin(torch.optim.Optimizer):
    """No noise while it warms up."""

    def __init__(self, params, lr, gain, burn_in=4):
        super().__init__(params, {"lr": lr, "gain": gain, "burn_in": burn_in})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            root = torch.linalg.cholesky(group["gain"])
            for p in group["params"]:
                state = self.state[p]
                state["step"] = state.get("step", 0) + 1
                p.add_(p.grad @ group["gain"], alpha=-group["lr"] / 2)
                if state["step"] > group["burn_in"]:
                    p.add_(torch.randn_like(p) @ root.T, alpha=group["lr"] ** 0.5)


def burn_in_optimizer(parameters, eps, H):
    return BurnInLangevin(parameters, lr=eps, gain=H)


burn_in_optimizer.loss = "sum"
