"""PyTorch's optimizers, made as its users make them; all chains are one parameter of theirs."""

from __future__ import annotations

from typing import Any

import torch

Parameters = Any
optim = torch.optim


def sgd(parameters: Parameters, lr: float) -> Any:
    """Plain SGD on the mean loss."""
    return optim.SGD(parameters, lr=lr)


def sgd_momentum(parameters: Parameters, lr: float, momentum: float) -> Any:
    """SGD with momentum; its buffer is made by the first step."""
    return optim.SGD(parameters, lr=lr, momentum=momentum)


def sgd_nesterov(parameters: Parameters, lr: float, momentum: float) -> Any:
    """SGD with Nesterov's momentum."""
    return optim.SGD(parameters, lr=lr, momentum=momentum, nesterov=True)


def sgd_dampening(parameters: Parameters, lr: float, momentum: float, dampening: float) -> Any:
    """SGD with a buffer that is there, as it is after the first step."""
    made = optim.SGD(parameters, lr=lr, momentum=momentum, dampening=dampening)
    for one in parameters:
        made.state[one]["momentum_buffer"] = torch.zeros_like(one)
    return made


def sgd_weight_decay(parameters: Parameters, lr: float, weight_decay: float) -> Any:
    """SGD with the decay of the loss."""
    return optim.SGD(parameters, lr=lr, weight_decay=weight_decay)


def rmsprop(parameters: Parameters, lr: float, alpha: float, eps: float) -> Any:
    """RMSprop, not centred."""
    return optim.RMSprop(parameters, lr=lr, alpha=alpha, eps=eps)


def adagrad(parameters: Parameters, lr: float, eps: float) -> Any:
    """Adagrad, without decay of its step size."""
    return optim.Adagrad(parameters, lr=lr, eps=eps)


def adam(parameters: Parameters, lr: float, beta1: float, beta2: float, eps: float) -> Any:
    """Adam."""
    return optim.Adam(parameters, lr=lr, betas=(beta1, beta2), eps=eps)
