"""A JAX step for one chain: ``step(state, gradient, key, **params) -> state``, pure.

``state`` is an array (D,), or a tree of arrays with the position under ``theta`` or ``position`` (a
dict, a named tuple, a dataclass), or first in a plain tuple. All chains are mapped and compiled here:
the step is handed over as it is, not mapped. Parameters are plain numbers and arrays.

``gradient(theta)`` is the minibatch gradient of the mean loss, fresh at each call: also at each pass of
a ``lax.scan`` or ``fori_loop``, as long as theta moves. Where it may stand still, or where one minibatch
is for several points, ``gradient(theta, key)`` takes the minibatch of a key. ``gradient.full(theta)``
has no noise. A step may have attributes: ``init(theta, key, **params) -> state``; ``loss = "sum"``,
where it expects the gradient of the summed loss; ``dtype = "float32"``, to be run in single precision
instead of doubles; ``kind = "jax"``, where it is not recognised by an argument ``key`` or ``rng_key``.
In place of a function an object with ``init`` and ``step`` will do.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from verification.checking.adapters.numpy_step import accepted, matched
from verification.checking.gradients import Refused
from verification.checking.jax_chains import JaxRunner, Pair
from verification.checking.signatures import Asks, asks_of

KIND, ORDER = "jax", 40

_KEYS = {"key", "rng_key", "prng_key"}


def matches(target: Any) -> bool:
    """A function that takes a key, or one that JAX has compiled.

    >>> matches(lambda theta, gradient, key, eps: theta), matches(lambda theta, gradient, rng: theta)
    (True, False)
    """
    if getattr(target, "kind", None) == KIND:
        return True
    step = getattr(target, "step", target)
    return callable(step) and (_of_jax(step) or bool(_KEYS & set(names_of(step))))


def asks(target: Any) -> Asks | None:
    """By the names of the step's arguments, and of its ``init``'s."""
    return asks_of(getattr(target, "step", target), 3, getattr(target, "init", None))


def runner(target: Any) -> JaxRunner:
    """The step of every chain at once."""
    step = getattr(target, "step", target)
    init = getattr(target, "init", None)

    def begin(states: Mapping[str, Any], key: Any, params: Mapping[str, Any]) -> Any:
        if init is not None:
            return init(states["theta"], key, **accepted(init, params))
        return states["theta"] if len(states) == 1 else dict(states)

    def as_declared(states: Mapping[str, Any], key: Any, params: Mapping[str, Any]) -> Any:
        return matched(begin(states, key, params), states, lambda x: x)

    def move(state: Any, gradient: Any, key: Any, params: Mapping[str, Any]) -> Any:
        return step(state, gradient, key, **accepted(step, params))

    other = Pair(as_declared, move, position)
    return JaxRunner(Pair(begin, move, position), *settings(target), declared=other)


def settings(target: Any) -> tuple[str, str]:
    """Of which loss a target expects the gradient, and in which precision it is run."""
    return str(getattr(target, "loss", "")), str(getattr(target, "dtype", "float64"))


def names_of(function: Any) -> tuple[str, ...]:
    """The names of a function's arguments, as far as they are known."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def position(state: Any) -> Any:
    """Where a state says that it is.

    >>> position({"theta": 1, "v": 2}), position((3, 4))
    (1, 3)
    """
    if hasattr(state, "shape"):
        return state
    names = ("theta", "position")
    if isinstance(state, Mapping):
        found = [state[n] for n in names if n in state]
    else:
        found = [getattr(state, n) for n in names if hasattr(state, n)]
    if not found and isinstance(state, tuple | list) and state:
        return state[0]
    if not found:
        raise Refused("shape", f"the state, a {type(state).__name__}, has no theta and no position")
    return found[0]


def _of_jax(step: Any) -> bool:
    """Asked of its type alone, so that JAX need not be there."""
    return type(step).__module__.partition(".")[0] in ("jax", "jaxlib")
