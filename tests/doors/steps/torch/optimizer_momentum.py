# torch.optim.SGD with momentum, in its own letters
# check: optimizer_momentum.py:make --like momentum --with lr=eps --with momentum=1-mu
import torch


def make(params, lr, momentum):
    return torch.optim.SGD(params, lr=lr, momentum=momentum)
