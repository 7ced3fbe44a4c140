"""Optax's transformations, made as its users make them."""

from __future__ import annotations

from typing import Any

import optax


def sgd(learning_rate: float) -> Any:
    """Plain SGD on the mean loss."""
    return optax.sgd(learning_rate)


def sgd_momentum(learning_rate: float, momentum: float) -> Any:
    """SGD with momentum."""
    return optax.sgd(learning_rate, momentum)


def sgd_nesterov(learning_rate: float, momentum: float) -> Any:
    """SGD with Nesterov's momentum."""
    return optax.sgd(learning_rate, momentum, nesterov=True)


def noisy_sgd(learning_rate: float, eta: float, key: Any) -> Any:
    """SGD with noise of constant variance."""
    return optax.noisy_sgd(learning_rate, eta, 0.0, key=key)


def rmsprop(learning_rate: float, decay: float, eps: float) -> Any:
    """RMSprop, not centred."""
    return optax.rmsprop(learning_rate, decay, eps)


def adam(learning_rate: float, b1: float, b2: float, eps: float) -> Any:
    """Adam."""
    return optax.adam(learning_rate, b1, b2, eps)
