"""A plain NumPy step: ``step(state, gradient, rng, **params) -> state``, all chains at once.

``state`` is an array (chains, D), or a dict of such arrays with the position under ``theta``.
``gradient(theta)`` is the minibatch gradient of the mean loss at every chain, with fresh noise at each
call. An attribute ``init(theta, rng, **params) -> state`` of the step makes the first state; ``loss =
"sum"`` says that it expects the gradient of the summed loss, N times that of the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.checking.gradients import Refused
from verification.checking.signatures import accepted as accepted  # adapters look for it here
from verification.checking.signatures import check_signature

KIND, ORDER = "numpy", 100  # asked last: it takes any function


def matches(target: Any) -> bool:
    """Any function."""
    return callable(target)


def runner(target: Any) -> NumpyRunner:
    """The step, and its ``init`` where it has one."""
    return NumpyRunner(target, getattr(target, "init", None), getattr(target, "loss", ""))


@dataclass(frozen=True)
class NumpyRunner:
    """A vectorised step in NumPy."""

    function: Callable[..., Any]
    init: Callable[..., Any] | None = None
    loss: str = ""  # of which loss it expects the gradient, where it says so

    def start(self, states: Mapping[str, Any], rng: Any, params: Mapping[str, Any]) -> Any:
        """The position alone, or all states by name."""
        check_signature(self.function, ("state", "gradient", "rng"), params)
        if self.init is not None:
            check_signature(self.init, ("theta", "rng"), params)
        if self.init is not None:
            return self.init(states["theta"].copy(), rng, **accepted(self.init, params))
        if len(states) == 1:
            return states["theta"].copy()
        return {name: value.copy() for name, value in states.items()}

    def step(self, state: Any, gradient: Any, rng: Any, params: Mapping[str, Any]) -> Any:
        """One call; the state that was handed in must be left as it is."""
        before = _copy(state)
        after = self.function(state, gradient, rng, **accepted(self.function, params))
        if after is None:
            raise Refused("shape", "the step returned None, expected the next state")
        if not _same(before, state):
            raise Refused("mutates its state", "the step wrote into the state that it was given")
        return after

    def position(self, state: Any) -> Any:
        """The position under ``theta``, or the state itself."""
        if not isinstance(state, Mapping):
            return state
        if "theta" not in state:
            raise Refused("shape", f"the state has {', '.join(map(str, state))}, but no theta")
        return state["theta"]

    def named(self, state: Any, name: str) -> Any:
        """Another part of the state, where it has names."""
        return state.get(name) if isinstance(state, Mapping) else None


def _copy(state: Any) -> Any:
    if isinstance(state, Mapping):
        return {k: np.array(v) for k, v in state.items()}
    return np.array(state)


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, Mapping):
        return all(np.array_equal(v, after[k], equal_nan=True) for k, v in before.items())
    return bool(np.array_equal(before, after, equal_nan=True))
