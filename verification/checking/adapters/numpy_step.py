"""A plain NumPy step: ``step(state, gradient, rng, **params) -> state``, all chains at once.

``state`` is an array (chains, D), or a dict of such arrays with the position under ``theta``.
``gradient(theta)`` is the minibatch gradient of the mean loss at every chain, with fresh noise at each
call. An attribute ``init(theta, rng, **params) -> state`` of the step makes the first state; ``loss =
"sum"`` says that it expects the gradient of the summed loss, N times that of the mean; ``in_place =
True`` that it may write into the state that it is given (it is then handed a copy) and return nothing.
NumPy's and Python's global generators are seeded for each run; a note says so of what draws from them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from verification.checking.forms import explained
from verification.checking.gradients import Refused
from verification.checking.signatures import Asks, asks_of, check_places, check_signature
from verification.checking.signatures import accepted as accepted  # adapters look for it here

KIND, ORDER = "numpy", 100  # asked last: it takes any function
_GIVEN = ("state", "gradient", "rng")


def matches(target: Any) -> bool:
    """Any function."""
    return callable(target)


def asks(target: Any) -> Asks | None:
    """By the names of the step's arguments, and of its ``init``'s."""
    check_places(target, _GIVEN, "; of a factory say which: --kind optax or --kind 'torch optimizer'")
    return asks_of(target, 3, getattr(target, "init", None))


def runner(target: Any) -> NumpyRunner:
    """The step, its ``init`` where it has one, and what its attributes say."""
    said = {n: getattr(target, n) for n in ("init", "loss", "in_place") if hasattr(target, n)}
    return NumpyRunner(target, **said)


@dataclass(frozen=True)
class NumpyRunner:
    """A vectorised step in NumPy."""

    function: Callable[..., Any]
    init: Callable[..., Any] | None = None
    loss: str = ""  # of which loss it expects the gradient, where it says so
    in_place: bool = False  # it may write into the state that it is given
    matched: bool = False  # chains begin as declared, whatever the step's own init makes of that

    def begun_as_declared(self) -> NumpyRunner:
        """The same, from the declared states."""
        return replace(self, matched=True)

    def start(self, states: Mapping[str, Any], rng: Any, params: Mapping[str, Any]) -> Any:
        """The position alone, or all states by name."""
        check_signature(self.function, _GIVEN, params)
        if self.init is not None:
            check_signature(self.init, ("theta", "rng"), params)
        if self.init is not None:
            made = self.init(states["theta"].copy(), rng, **accepted(self.init, params))
            return matched(made, states, np.copy) if self.matched else made
        if len(states) == 1:
            return states["theta"].copy()
        return {name: value.copy() for name, value in states.items()}

    def step(self, state: Any, gradient: Any, rng: Any, params: Mapping[str, Any]) -> Any:
        """One call; the state that was handed in must be left as it is, unless the step said more."""
        handed = copy.deepcopy(state) if self.in_place else state
        before = None if self.in_place else _copy(state)
        after = self.function(handed, gradient, rng, **accepted(self.function, params))
        if before is not None and not _same(before, handed):
            raise Refused("mutates its state", wrote(after))
        if after is None and self.in_place:
            after = handed
        if after is None:
            raise Refused("shape", "the step returned None, expected the next state; return it")
        if isinstance(after, tuple) and not isinstance(state, tuple):
            given = "a dict" if isinstance(state, Mapping) else "an array"
            words = f"the step was given {given} and returned a tuple of {len(after)}"
            raise Refused("shape", f"{words}; return {given} of the same form")
        return after

    def position(self, state: Any) -> Any:
        """The position under ``theta``, or the state itself."""
        if not isinstance(state, Mapping):
            return state
        if "theta" not in state:
            words = f"the state has {', '.join(map(str, state))}, but no theta"
            raise Refused("shape", f"{words}: call the position theta")
        return state["theta"]

    def tried(
        self, states: Mapping[str, Any], gradient: Any, rng: Any, params: Mapping[str, Any], words: str
    ) -> str:
        """What went wrong at a first call, with the form of state that the step would take."""

        def call(state: Any) -> Any:
            return self.function(state, gradient, rng, **accepted(self.function, params))

        return explained(call, states, words, self.init is not None)

    def named(self, state: Any, name: str) -> Any:
        """Another part of the state, where it has names."""
        return state.get(name) if isinstance(state, Mapping) else None


def wrote(after: Any) -> str:
    """What a step is told that writes into the state that it was given."""
    told = " and returned None" if after is None else ""
    return (
        f"the step wrote into the state that it was given{told}; return a new one (theta = theta - ...,"
        " not theta -= ...), or say step.in_place = True"
    )


def matched(made: Any, states: Mapping[str, Any], copied: Callable[[Any], Any]) -> Any:
    """A first state with the declared values of whatever it has by the same name."""
    if not isinstance(made, Mapping):
        return copied(states["theta"]) if len(states) == 1 and hasattr(made, "shape") else made
    return {**made, **{n: copied(x) for n, x in states.items() if n in made}}


def _copy(state: Any) -> Any:
    if isinstance(state, Mapping):
        return {k: np.array(v) for k, v in state.items()}
    return np.array(state)


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, Mapping):
        return all(k in after and np.array_equal(v, after[k], equal_nan=True) for k, v in before.items())
    return bool(np.array_equal(before, after, equal_nan=True))
