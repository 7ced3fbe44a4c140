"""PyTorch's SGD as steps; all chains are one parameter, as the optimizer acts on each number."""

from __future__ import annotations

from typing import Any

import torch

Array = Any


def _moved(theta: Array, buf: Array, gradient: Any, **settings: Any) -> dict[str, Array]:
    parameter = torch.nn.Parameter(torch.tensor(theta))
    optimizer = torch.optim.SGD([parameter], **settings)
    if buf is not None:
        optimizer.state[parameter]["momentum_buffer"] = torch.tensor(buf)
    parameter.grad = torch.as_tensor(gradient(theta))
    optimizer.step()
    after = {"theta": parameter.detach().numpy()}
    if settings.get("momentum"):
        after["buf"] = optimizer.state[parameter]["momentum_buffer"].numpy()
    return after


def _begin(theta: Array, rng: Any) -> dict[str, Array]:
    return {"theta": theta}


def sgd(theta: Array, gradient: Any, rng: Any, lr: float) -> Array:
    """Plain SGD on the mean loss."""
    return _moved(theta, None, gradient, lr=lr)["theta"]


def sgd_momentum(state: Any, gradient: Any, rng: Any, lr: float, momentum: float) -> dict[str, Array]:
    """SGD with momentum; its buffer is made by the first step."""
    return _moved(state["theta"], state.get("buf"), gradient, lr=lr, momentum=momentum)


def sgd_nesterov(state: Any, gradient: Any, rng: Any, lr: float, momentum: float) -> dict[str, Array]:
    """SGD with Nesterov's momentum."""
    settings = {"lr": lr, "momentum": momentum, "nesterov": True}
    return _moved(state["theta"], state.get("buf"), gradient, **settings)


sgd_momentum.init = _begin  # type: ignore[attr-defined]
sgd_nesterov.init = _begin  # type: ignore[attr-defined]
