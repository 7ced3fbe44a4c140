"""MXNet's optimizers as steps; all chains are one array, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

if not hasattr(np, "bool"):  # which this version of MXNet asks for
    setattr(np, "bool", np.bool_)  # noqa: B010 - a name that type checkers do not let one set

import mxnet

Array = Any


def _moved(optimizer: Any, state: dict[str, Array], gradient: Any) -> dict[str, Array]:
    weight, pull = (
        mxnet.nd.array(x, dtype="float64") for x in (state["theta"], gradient(state["theta"]))
    )
    kept = optimizer.create_state(0, weight)
    if kept is not None and "kept" in state:
        kept[:] = mxnet.nd.array(state["kept"], dtype="float64")
    optimizer.update(0, weight, pull, kept)
    after = {"theta": weight.asnumpy()}
    return after if kept is None else {**after, "kept": kept.asnumpy()}


def _begin(theta: Array, rng: Any) -> dict[str, Array]:
    return {"theta": theta}


def sgd(state: Any, gradient: Any, rng: Any, learning_rate: float) -> Any:
    """Plain SGD."""
    return _moved(mxnet.optimizer.SGD(learning_rate=learning_rate), state, gradient)


def sgd_momentum(state: Any, gradient: Any, rng: Any, learning_rate: float, momentum: float) -> Any:
    """SGD with momentum."""
    made = mxnet.optimizer.SGD(learning_rate=learning_rate, momentum=momentum)
    return _moved(made, state, gradient)


def sgld(state: Any, gradient: Any, rng: Any, learning_rate: float) -> Any:
    """SGLD on the summed loss."""
    mxnet.random.seed(int(rng.integers(2**31)))
    return _moved(mxnet.optimizer.SGLD(learning_rate=learning_rate), state, gradient)


sgd.init = sgd_momentum.init = sgld.init = _begin  # type: ignore[attr-defined]
sgld.loss = "sum"  # type: ignore[attr-defined]
