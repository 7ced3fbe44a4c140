"""NumPyro's optimizers as steps of one chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpyro import optim

Array = Any


class _Steps:
    """An optimizer, made anew with the parameters of each problem."""

    kind = "jax"

    def __init__(self, make: Callable[..., Any], parameters: tuple[str, ...]) -> None:
        self.make, self.parameters = make, parameters

    def init(self, theta: Array, key: Array, **params: float) -> dict[str, Any]:
        """Its own first state, beside the position."""
        return {"theta": theta, "inner": self._made(params).init(theta)}

    def step(self, state: Any, gradient: Any, key: Array, **params: float) -> dict[str, Any]:
        """One update."""
        made = self._made(params)
        inner = made.update(gradient(state["theta"]), state["inner"])
        return {"theta": made.get_params(inner), "inner": inner}

    def _made(self, params: dict[str, float]) -> Any:
        return self.make(**{n: params[n] for n in self.parameters})


sgd = _Steps(optim.SGD, ("step_size",))
momentum = _Steps(optim.Momentum, ("step_size", "mass"))
rmsprop = _Steps(optim.RMSProp, ("step_size", "gamma", "eps"))
adam = _Steps(optim.Adam, ("step_size", "b1", "b2", "eps"))
