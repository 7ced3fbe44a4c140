"""Keras's optimizers on one variable of all chains, in double precision; JAX is behind them."""

from __future__ import annotations

import os
from typing import Any

import jax

os.environ.setdefault("KERAS_BACKEND", "jax")
jax.config.update("jax_enable_x64", True)

import keras  # noqa: E402

keras.config.set_floatx("float64")
Array = Any


def _moved(optimizer: Any, state: dict[str, Array], gradient: Any) -> dict[str, Array]:
    """The optimizer's own variables travel as parts of the state."""
    variable = keras.Variable(state["theta"], dtype="float64")
    optimizer.build([variable])
    inner = [v for v in optimizer.variables if not v.path.endswith("learning_rate")]
    for k, v in enumerate(inner):
        if f"part{k}" in state:
            v.assign(state[f"part{k}"])
    optimizer.apply([gradient(state["theta"])], [variable])
    return {"theta": variable.numpy(), **{f"part{k}": v.numpy() for k, v in enumerate(inner)}}


def _begin(theta: Array, rng: Any) -> dict[str, Array]:
    return {"theta": theta}


def sgd(state: Any, gradient: Any, rng: Any, learning_rate: float) -> Any:
    """Plain SGD on the mean loss."""
    return _moved(keras.optimizers.SGD(learning_rate), state, gradient)


def sgd_momentum(state: Any, gradient: Any, rng: Any, learning_rate: float, momentum: float) -> Any:
    """SGD with momentum."""
    return _moved(keras.optimizers.SGD(learning_rate, momentum), state, gradient)


def sgd_nesterov(state: Any, gradient: Any, rng: Any, learning_rate: float, momentum: float) -> Any:
    """SGD with Nesterov's momentum."""
    return _moved(keras.optimizers.SGD(learning_rate, momentum, nesterov=True), state, gradient)


def rmsprop(
    state: Any, gradient: Any, rng: Any, learning_rate: float, rho: float, epsilon: float
) -> Any:
    """RMSprop, not centred."""
    return _moved(keras.optimizers.RMSprop(learning_rate, rho, epsilon=epsilon), state, gradient)


def adam(
    state: Any, gradient: Any, rng: Any, learning_rate: float, beta_1: float, beta_2: float,
    epsilon: float,
) -> Any:  # fmt: skip
    """Adam."""
    return _moved(keras.optimizers.Adam(learning_rate, beta_1, beta_2, epsilon), state, gradient)


sgd.init = sgd_momentum.init = sgd_nesterov.init = _begin  # type: ignore[attr-defined]
rmsprop.init = adam.init = _begin  # type: ignore[attr-defined]
