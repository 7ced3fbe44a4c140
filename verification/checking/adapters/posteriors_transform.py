"""A transform in the style of posteriors: ``build(log_posterior, **params) -> (init, update)``.

``init(params)`` makes a state with ``params`` in it; ``update(state, batch)`` gives the next state and
something besides. All chains run at once through ``torch.func.vmap`` with random numbers of their own;
``per_chain = True`` of the factory runs one after the other, for code that cannot be mapped.

``log_posterior(params, batch)`` is minus the mean loss of a minibatch (minus the summed loss with ``loss
= "sum"``), with nothing besides. Its derivative is exact; its value is 0, for only gradients are known.
The same batch at two points is the same minibatch. Other states than positions begin as ``init`` says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.checking import tensors
from verification.checking.gradients import Refused
from verification.checking.signatures import LIBRARY, Asks, accepted, asks_of, check_signature

KIND, ORDER = "posteriors", 40


def matches(target: Any) -> bool:
    """A function whose first parameter is ``log_posterior``."""
    return tensors.loaded() and callable(target) and tensors.names(target)[:1] == ("log_posterior",)


def asks(target: Any) -> Asks | None:
    """By the names of the factory's arguments; its library makes the first states."""
    return asks_of(target, 1, begins=LIBRARY)


def runner(target: Any) -> TransformRunner:
    """The factory, and what its attributes say."""
    tensors.torch()
    asked = ("loss", "per_chain")
    return TransformRunner(target, **{n: getattr(target, n) for n in asked if hasattr(target, n)})


@dataclass
class Loss:
    """Minus the log posterior, as far as its derivative goes; whose gradient is set for each step."""

    gradient: Any = None

    def at(self, theta: Any, batch: Any) -> Any:
        """The gradients at points (..., D), each with a batch of its own."""
        found = self.gradient(theta.detach().cpu().numpy(), batch.detach().cpu().numpy())
        return tensors.torch().as_tensor(found).to(theta.dtype)

    def log_posterior(self, theta: Any, batch: Any) -> tuple[Any, Any]:
        """What foreign code differentiates, and nothing besides."""
        library = tensors.torch()
        value, _ = _functions()
        if not isinstance(theta, library.Tensor):
            raise Refused("shape", f"the log posterior was asked for at {type(theta).__name__}")
        return -value.apply(theta, batch, self), library.zeros(0)


@functools.cache
def _functions() -> tuple[Any, Any]:
    """The value, and its gradient: each for one chain, and for all where PyTorch maps over chains."""
    library = tensors.torch()

    class Slope(library.autograd.Function):  # type: ignore[name-defined]
        """The gradient, which is NumPy's and so needs the numbers of all chains."""

        @staticmethod
        def forward(theta: Any, batch: Any, loss: Loss) -> Any:
            return loss.at(theta, batch)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_non_differentiable(output)

        @staticmethod
        def vmap(info: Any, where: Any, theta: Any, batch: Any, loss: Loss) -> Any:
            every = [
                x.expand(info.batch_size, *x.shape) if at is None else x.movedim(at, 0)
                for x, at in zip((theta, batch), where, strict=False)
            ]
            return Slope.apply(*every, loss), 0

    class Value(library.autograd.Function):  # type: ignore[name-defined]
        """A number, of which only the derivative is known."""

        @staticmethod
        def forward(theta: Any, batch: Any, loss: Loss) -> Any:
            return theta.new_zeros(())

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            theta, batch, ctx.loss = inputs
            ctx.save_for_backward(theta, batch)

        @staticmethod
        def backward(ctx: Any, above: Any) -> Any:
            return above * Slope.apply(*ctx.saved_tensors, ctx.loss), None, None

        @staticmethod
        def vmap(info: Any, where: Any, theta: Any, batch: Any, loss: Loss) -> Any:
            return theta.new_zeros(info.batch_size), 0

    return Value, Slope


@dataclass(frozen=True)
class Transformed:
    """The states of all chains, the functions that move them, and their random numbers."""

    states: Any
    update: Callable[..., Any]
    loss: Loss
    randomness: tensors.Randomness


@dataclass(frozen=True)
class TransformRunner:
    """A transform, mapped over chains or chain by chain."""

    build: Callable[..., Any]
    loss: str = ""
    per_chain: bool = False

    def start(self, states: Mapping[str, Any], rng: Any, params: Mapping[str, Any]) -> Transformed:
        """What ``init`` makes of the positions."""
        check_signature(self.build, ("log_posterior",), params)
        said, loss = accepted(self.build, tensors.values(params)), Loss()
        randomness, theta = tensors.Randomness.of(rng), tensors.tensor(states["theta"])
        with randomness.used():
            init, both = self.build(loss.log_posterior, **said)

            def update(state: Any, batch: Any) -> Any:
                return _first(both(state, batch))  # what comes besides need not be a tensor

            if not self.per_chain:
                return Transformed(_mapped(init)(theta), _mapped(update), loss, randomness)
            return Transformed([init(x) for x in theta], update, loss, randomness)

    def step(
        self, state: Transformed, gradient: Any, rng: Any, params: Mapping[str, Any]
    ) -> Transformed:
        """One update of all chains with one minibatch for each."""
        state.loss.gradient = gradient
        batch = tensors.torch().as_tensor(np.asarray(gradient.draw(self.position(state))))
        with state.randomness.used():
            if not self.per_chain:
                after = state.update(state.states, batch)
            else:
                pairs = zip(state.states, batch, strict=True)
                after = [state.update(one, own) for one, own in pairs]
        return Transformed(after, state.update, state.loss, state.randomness)

    def position(self, state: Transformed) -> Any:
        """The ``params`` of the states."""
        if self.per_chain:
            return np.array([tensors.array(_params(one)) for one in state.states])
        return tensors.array(_params(state.states))


def _mapped(function: Callable[..., Any]) -> Callable[..., Any]:
    return tensors.torch().func.vmap(function, randomness="different")


def _first(found: Any) -> Any:
    if not isinstance(found, tuple) or len(found) != 2:
        raise Refused("shape", f"update returned {type(found).__name__}, expected (state, aux)")
    return found[0]


def _params(state: Any) -> Any:
    if not hasattr(state, "params"):
        raise Refused("shape", f"the state is {type(state).__name__}, which has no params")
    return state.params
