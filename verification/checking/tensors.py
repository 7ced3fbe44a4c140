"""What adapters of PyTorch share. PyTorch is imported when a function here is called, not before."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from verification.checking.gradients import Refused

Array = Any


def loaded() -> bool:
    """Whether somebody has imported PyTorch: a target made of it has, so nobody else need."""
    return "torch" in sys.modules


def torch() -> Any:
    """The library."""
    try:
        import torch as library
    except ImportError as error:
        raise UnusableInput("PyTorch", "none that imports", "install torch") from error
    return library


def names(function: Any) -> tuple[str, ...]:
    """The names of a function's parameters; none where they cannot be told.

    >>> names(lambda state, gradient, generator: state)
    ('state', 'gradient', 'generator')
    """
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def tensor(x: Array) -> Any:
    """A tensor of double precision with numbers of its own."""
    return torch().tensor(np.asarray(x, float))


def array(x: Any) -> Array:
    """The numbers of a tensor, copied."""
    if not isinstance(x, torch().Tensor):
        raise Refused("shape", f"a position is {type(x).__name__}, expected a tensor")
    if x.dtype == torch().bfloat16:  # which NumPy has not
        raise Refused("number type", "positions are bfloat16, expected float64 or float32")
    return x.detach().cpu().numpy().copy()


def values(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for foreign code: numbers as they are, matrices as tensors."""
    return {n: tensor(x) if isinstance(x, np.ndarray) else x for n, x in params.items()}


@dataclass
class Randomness:
    """A generator from our seed, and the state of PyTorch's global one while foreign code runs.

    Much code draws from the global generator; so that this can be reproduced it is seeded too, and
    put back as it was afterwards.
    """

    generator: Any
    shared: Any

    @classmethod
    def of(cls, rng: Any) -> Randomness:
        """Both from one seed."""
        seed = int(rng.integers(2**62))
        library = torch()
        own, other = library.Generator(), library.Generator()
        own.manual_seed(seed)
        other.manual_seed(seed + 1)  # not the same numbers twice in code that uses both
        return cls(own, other.get_state())

    @contextlib.contextmanager
    def used(self) -> Iterator[Any]:
        """The generator, with the global one in its place; no gradient is recorded on the way."""
        random = torch().random
        before = random.get_rng_state()
        random.set_rng_state(self.shared)
        try:
            yield self.generator
        finally:
            self.shared = random.get_rng_state()
            random.set_rng_state(before)


@dataclass(frozen=True)
class TensorGradient:
    """The gradient that foreign code is handed, from tensors to tensors of the same kind."""

    gradient: Any

    def __call__(self, theta: Any, batch: Any = None) -> Any:
        """The gradient at each point."""
        return self._from(theta, lambda x: self.gradient(x, batch))

    def draw(self, theta: Any) -> Any:
        """A minibatch for each point, to be handed to more than one call."""
        return self.gradient.draw(_points(theta))

    def full(self, theta: Any) -> Any:
        """The gradient over all the data at each point."""
        return self._from(theta, self.gradient.full)

    def _from(self, theta: Any, function: Callable[[Array], Array]) -> Any:
        found = function(_points(theta))
        return torch().as_tensor(found).to(theta.dtype)


def _points(theta: Any) -> Array:
    if not isinstance(theta, torch().Tensor):
        raise Refused(
            "shape", f"the gradient was asked for at {type(theta).__name__}, expected a tensor"
        )
    return theta.detach().cpu().numpy()
