# SGLD on tensors with torch's own stream of random numbers
# check: sgld_global.py:step --like sgld
import torch


def step(theta, gradient, generator, eps, N):
    return theta - eps / 2 * N * gradient(theta) + eps**0.5 * torch.randn_like(theta)
