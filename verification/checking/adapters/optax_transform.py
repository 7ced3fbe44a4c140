"""An optax transform: a factory ``build(**params)`` of one, such as ``lambda eps: optax.sgd(eps)``.

Each step is ``updates, state = update(gradient, state, theta)``, then theta + updates. The gradient is
the minibatch gradient of the mean loss, or of the summed loss where the factory has an attribute
``loss = "sum"``. A factory that has an argument ``key`` is given a key of the chain, the same in all of
its steps, as for ``optax.noisy_sgd``. A transform that is there already can be handed in too: its
parameters are then the same in every problem, which is right only for a sampler without any.

A factory is recognised where it is optax's own, speaks of ``optax`` or of what comes from there and
takes neither a state nor a gradient, or says ``kind = "optax"``; a transform always is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from verification.checking.adapters.jax_step import names_of, settings
from verification.checking.adapters.numpy_step import accepted
from verification.checking.jax_chains import JaxRunner, Pair
from verification.checking.signatures import OF_A_STEP, Asks, asks_of, spoken

KIND, ORDER = "optax", 20


def matches(target: Any) -> bool:
    """A pair (init, update), or optax's own function that makes one.

    >>> matches(lambda theta, gradient, rng: theta)
    False
    """
    if getattr(target, "kind", None) == KIND or _is_transform(target):
        return True
    return callable(target) and (_of_optax(target) or _makes_one(target))


def _makes_one(target: Any) -> bool:
    """Whether a function speaks of optax, or of what comes from there, and takes nothing of a step's.

    >>> _makes_one(lambda eps: optax.sgd(eps)), _makes_one(lambda theta, gradient, eps: optax.sgd(eps))
    (True, False)
    """
    if (OF_A_STEP - {"key"}) & set(names_of(target)):
        return False
    return any(n == "optax" or _of_optax(x) for n, x in spoken(target).items())


def _of_optax(thing: Any) -> bool:
    named = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
    return str(named).partition(".")[0] == "optax"


def asks(target: Any) -> Asks | None:
    """By the names of the factory's arguments; a transform that is there already asks for nothing."""
    if _is_transform(target):
        return None
    found = asks_of(target, 0)
    return found and found.without("key")


def runner(target: Any) -> JaxRunner:
    """The transform applied to every chain; its state is kept beside the position."""

    def made(key: Any, params: Mapping[str, Any]) -> Any:
        if _is_transform(target):
            return target
        own = {"key": key} if "key" in names_of(target) else {}
        return target(**{**accepted(target, params), **own})

    def begin(states: Mapping[str, Any], key: Any, params: Mapping[str, Any]) -> Any:
        return {"theta": states["theta"], "inner": made(key, params).init(states["theta"]), "key": key}

    def move(state: Any, gradient: Any, key: Any, params: Mapping[str, Any]) -> Any:
        del key  # transforms keep their own
        theta = state["theta"]
        update = made(state["key"], params).update
        updates, inner = update(gradient(theta), state["inner"], theta)
        return {"theta": theta + updates, "inner": inner, "key": state["key"]}

    return JaxRunner(Pair(begin, move, lambda state: state["theta"]), *settings(target))


def _is_transform(target: Any) -> bool:
    return callable(getattr(target, "init", None)) and callable(getattr(target, "update", None))
