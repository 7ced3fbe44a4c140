"""SGLD with localisation for estimates of the learning coefficient, in PyTorch."""
import torch


def step(theta, gradient, generator, lr, nbeta, localization, weight_decay, mode):
    dw = nbeta * gradient(theta) + weight_decay * theta
    new = theta - 0.5 * lr * dw
    new = new - lr * localization * (theta - mode)
    noise = torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
    return new + (0.5 * lr) ** 0.5 * noise
