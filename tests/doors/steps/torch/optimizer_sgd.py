# torch.optim.SGD with its rate as the step
# check: optimizer_sgd.py:make --like sgd
import torch


def make(params, eps):
    return torch.optim.SGD(params, lr=eps)
