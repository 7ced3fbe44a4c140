# SGD on tensors
# check: sgd.py:step --like sgd
import torch


def step(theta, gradient, generator, eps):
    with torch.no_grad():
        return theta - eps * gradient(theta)
