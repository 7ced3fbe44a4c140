"""A PyTorch step: ``step(state, gradient, generator, **params) -> state``, all chains at once.

``state`` is a tensor (chains, D), or a dict of such tensors with the position under ``theta``; precision
is double. ``gradient(theta)`` takes and gives tensors. ``generator`` is a ``torch.Generator`` from our
seed; PyTorch's global generator is seeded too, for code that draws from that. A step is told from one
in NumPy by the name ``generator`` of a parameter (or by ``kind = "torch"``). It is handed a copy of its
state; one that writes into it is told so, unless its attribute ``in_place = True`` says that it may
(and may then return nothing).
``init(theta, generator, **params) -> state`` and ``loss`` are attributes as of a step in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from verification.checking import tensors
from verification.checking.adapters.numpy_step import matched, wrote
from verification.checking.gradients import Refused
from verification.checking.signatures import Asks, accepted, asks_of, check_signature

KIND, ORDER = "torch", 60


def matches(target: Any) -> bool:
    """A function with a parameter ``generator``, where PyTorch has been imported."""
    return tensors.loaded() and callable(target) and "generator" in tensors.names(target)


def asks(target: Any) -> Asks | None:
    """By the names of the step's arguments, and of its ``init``'s."""
    return asks_of(target, 3, getattr(target, "init", None))


def runner(target: Any) -> TorchRunner:
    """The step, and what its attributes say."""
    tensors.torch()
    said = {
        name: getattr(target, name) for name in ("init", "loss", "in_place") if hasattr(target, name)
    }
    return TorchRunner(target, **said)


@dataclass(frozen=True)
class TorchState:
    """The state that the step made, and where its random numbers come from."""

    value: Any
    randomness: tensors.Randomness


@dataclass(frozen=True)
class TorchRunner:
    """A vectorised step in PyTorch."""

    function: Callable[..., Any]
    init: Callable[..., Any] | None = None
    loss: str = ""
    in_place: bool = False
    matched: bool = False

    def begun_as_declared(self) -> TorchRunner:
        """The same, from the declared states."""
        return replace(self, matched=True)

    def start(self, states: Mapping[str, Any], rng: Any, params: Mapping[str, Any]) -> TorchState:
        """The position alone, or all states by name."""
        check_signature(self.function, ("state", "gradient", "generator"), params)
        randomness = tensors.Randomness.of(rng)
        first: Any = {name: tensors.tensor(x) for name, x in states.items()}
        if self.init is not None:
            check_signature(self.init, ("theta", "generator"), params)
            said = accepted(self.init, tensors.values(params))
            with randomness.used() as generator:
                made = self.init(first["theta"].clone(), generator, **said)
            first = matched(made, first, lambda x: x.clone()) if self.matched else made
        elif len(first) == 1:
            first = first["theta"]
        return TorchState(first, randomness)

    def step(self, state: TorchState, gradient: Any, rng: Any, params: Mapping[str, Any]) -> TorchState:
        """One call, with a copy of the state."""
        handed = _copy(state.value)
        said = accepted(self.function, tensors.values(params))
        with state.randomness.used() as generator:
            after = self.function(handed, tensors.TensorGradient(gradient), generator, **said)
        if not self.in_place and not _same(state.value, handed):
            raise Refused("mutates its state", wrote(after))
        if after is None and self.in_place:
            after = handed
        if after is None:
            raise Refused("shape", "the step returned None, expected the next state; return it")
        return TorchState(_detached(after), state.randomness)

    def position(self, state: TorchState) -> Any:
        """The position under ``theta``, or the state itself."""
        value = state.value
        if isinstance(value, Mapping):
            if "theta" not in value:
                raise Refused("shape", f"the state has {', '.join(map(str, value))}, but no theta")
            value = value["theta"]
        return tensors.array(value)

    def named(self, state: TorchState, name: str) -> Any:
        """Another part of the state, where it has names."""
        inside = state.value if isinstance(state.value, Mapping) else {}
        return tensors.array(inside[name]) if name in inside else None


def _each(function: Callable[[Any], Any], state: Any) -> Any:
    """A function of every tensor of a state; what is no tensor stays as it is."""
    if isinstance(state, Mapping):
        return {name: _each(function, x) for name, x in state.items()}
    return function(state) if isinstance(state, tensors.torch().Tensor) else state


def _copy(state: Any) -> Any:
    return _each(lambda x: x.clone(), state)


def _detached(state: Any) -> Any:
    return _each(lambda x: x.detach(), state)


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, Mapping):
        return all(name in after and _same(x, after[name]) for name, x in before.items())
    library = tensors.torch()
    if not isinstance(before, library.Tensor):
        return True
    nan = before.isnan() & after.isnan() if before.is_floating_point() else False
    return before.shape == after.shape and bool(((before == after) | nan).all())
