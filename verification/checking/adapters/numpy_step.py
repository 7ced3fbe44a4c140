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
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from verification.checking.forms import explained, misfit, no_state
from verification.checking.gradients import Refused
from verification.checking.signatures import Asks, asks_of, check_places, check_signature, spoken
from verification.checking.signatures import accepted as accepted  # adapters look for it here

KIND, ORDER = "numpy", 100  # asked last: it takes any function
_GIVEN = ("state", "gradient", "rng")


def matches(target: Any) -> bool:
    """Any function, and any object with a method ``step``."""
    return callable(target) or callable(getattr(target, "step", None))


def asks(target: Any) -> Asks | None:
    """By the names of the step's arguments, and of its ``init``'s."""
    function = _step_of(target)
    if isinstance(function, type):
        name = function.__name__
        how = f"bound = {name}(...).step" if hasattr(function, "step") else f"step = {name}(...)"
        raise UnusableInput(
            "a step, or an object that has one",
            f"the class {name}",
            f"make an object in your file, {how}, and check that name",
        )
    check_places(function, _GIVEN, _of_a_factory(function))
    return asks_of(function, 3, getattr(target, "init", None))


def runner(target: Any) -> NumpyRunner:
    """The step, its ``init`` where it has one, and what its attributes say."""
    said = {n: getattr(target, n) for n in ("init", "loss", "in_place") if hasattr(target, n)}
    return NumpyRunner(_step_of(target), **said)


def _step_of(target: Any) -> Any:
    """The target itself, or the method ``step`` of an object."""
    if isinstance(target, type | FunctionType | MethodType | partial):
        return target
    found = getattr(target, "step", None)
    return found if callable(found) else target


def _of_a_factory(function: Any) -> str:
    """What to type where a function is no step but makes one."""
    known = spoken(function)
    libraries = {getattr(x, "__name__", n).partition(".")[0] for n, x in known.items() if x is not None}
    kinds = {"optax": "optax", "torch": "'torch optimizer'"}
    told = [f"--kind {kind}" for name, kind in kinds.items() if name in libraries | set(known)]
    if told:
        return f"; of a factory say which: {' or '.join(told)}"
    return "; of a function that makes a step, check what it makes: step = make(...)"


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
            if words := no_state(made):
                raise Refused("form", words)
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
        if words := misfit(after, state):
            raise Refused("form", words)
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

        try:
            made = None if self.init is None else self.start(states, rng, params)
        except Exception:  # it is the init that goes wrong, and the words say how
            return words
        return explained(call, states, words, made)

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
