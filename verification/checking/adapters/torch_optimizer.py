"""A PyTorch optimizer: a class of ``torch.optim``, or ``build(parameters, **params) -> Optimizer``.

A factory is recognised by its first parameter, ``parameters``, or where it speaks of ``torch.optim`` or
of a class of optimizers and takes nothing of a step's.

There is one parameter of shape (chains, D), in double precision; every step is one minibatch. ``.grad``
is set before ``optimizer.step()``; an optimizer whose ``step`` needs a closure, or whose factory has
``closure = True``, is handed one that sets it, with the same minibatch each time within a step. The
loss that a closure returns is 0: only gradients are known. ``loss = "sum"`` asks for the summed loss.

All chains are in one tensor, so that an optimizer that looks at the whole of it (clips its norm, say)
couples the chains and is not what it would be alone. ``per_chain = True`` makes an optimizer of its own
for each chain: right for all, but Python runs each step of each chain, so that one asks for few
(``effect=0.3``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from verification.checking import tensors
from verification.checking.gradients import Refused
from verification.checking.signatures import OF_A_STEP, Asks, accepted, asks_of, check_signature, spoken

KIND, ORDER = "torch optimizer", 50


def matches(target: Any) -> bool:
    """A class of optimizers, or a function that makes one."""
    if not tensors.loaded():
        return False
    if isinstance(target, type):
        return _is_class(target)
    return callable(target) and (tensors.names(target)[:1] == ("parameters",) or _makes_one(target))


def _makes_one(target: Any) -> bool:
    """Whether a function speaks of optimizers of PyTorch, and takes nothing of a step's but params."""
    names = tensors.names(target)
    if not names or OF_A_STEP & {*names[1:], *({names[0]} - {"params"})}:
        return False
    return any(n == "optim" or _is_class(x) for n, x in spoken(target).items())


def _is_class(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, tensors.torch().optim.Optimizer)


def asks(target: Any) -> Asks | None:
    """By the names of the arguments of the class or the factory."""
    return asks_of(target, 1)


def runner(target: Any) -> OptimizerRunner:
    """The factory, and what its attributes say."""
    tensors.torch()
    asked = ("loss", "closure", "per_chain")
    return OptimizerRunner(target, **{n: getattr(target, n) for n in asked if hasattr(target, n)})


@dataclass(frozen=True)
class Optimized:
    """Parameters, and the optimizer of each; both change in place."""

    parameters: tuple[Any, ...]
    optimizers: tuple[Any, ...]
    randomness: tensors.Randomness
    per_chain: bool

    def position(self) -> Any:
        """The values of all parameters as one tensor (chains, D)."""
        return tensors.torch().stack(self.parameters) if self.per_chain else self.parameters[0]


@dataclass(frozen=True)
class OptimizerRunner:
    """An optimizer of all chains, or one of each."""

    build: Callable[..., Any]
    loss: str = ""
    closure: bool = False
    per_chain: bool = False

    def start(self, states: Mapping[str, Any], rng: Any, params: Mapping[str, Any]) -> Optimized:
        """The position; what an optimizer keeps besides begins as the optimizer says."""
        check_signature(self.build, ("parameters",), params)
        library, theta = tensors.torch(), tensors.tensor(states["theta"])
        parts = theta.unbind() if self.per_chain else (theta,)
        parameters = tuple(library.nn.Parameter(x.clone()) for x in parts)
        said, randomness = accepted(self.build, tensors.values(params)), tensors.Randomness.of(rng)
        with randomness.used():
            optimizers = tuple(self.build([p], **said) for p in parameters)
        if not all(isinstance(o, library.optim.Optimizer) for o in optimizers):
            words = f"the factory returned {type(optimizers[0]).__name__}, expected an Optimizer"
            raise Refused("shape", words)
        return Optimized(parameters, optimizers, randomness, self.per_chain)

    def step(self, state: Optimized, gradient: Any, rng: Any, params: Mapping[str, Any]) -> Optimized:
        """One minibatch: gradients set, one step of every optimizer."""
        given = tensors.TensorGradient(gradient)
        batch = given.draw(state.position())
        with state.randomness.used():
            if not state.per_chain:
                self._one(state.parameters[0], state.optimizers[0], lambda x: given(x, batch))
                return state
            pairs = zip(state.parameters, state.optimizers, strict=True)
            for k, (parameter, optimizer) in enumerate(pairs):
                self._one(parameter, optimizer, partial(_alone, given, batch[k : k + 1]))
        return state

    def _one(self, parameter: Any, optimizer: Any, gradient: Callable[[Any], Any]) -> None:
        def closure() -> Any:
            parameter.grad = gradient(parameter)
            return parameter.new_zeros(())

        if self.closure or _needs_closure(optimizer):
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()

    def position(self, state: Optimized) -> Any:
        """The parameters as they are now."""
        return tensors.array(state.position())


def _alone(given: Any, batch: Any, theta: Any) -> Any:
    """The gradient of one chain."""
    return given(theta[None], batch)[0]


def _needs_closure(optimizer: Any) -> bool:
    known = inspect.signature(optimizer.step).parameters.get("closure")
    return known is not None and known.default is inspect.Parameter.empty
