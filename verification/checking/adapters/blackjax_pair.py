"""A blackjax sampler: a factory ``build(gradient, **params)`` of a pair ``init`` and ``step``.

``gradient(position, minibatch)`` estimates the gradient of the log density, which is minus N times
that of the mean loss; a minibatch is a key, fresh in each step, and the same one gives the same noise.
What is called is ``step(key, state, minibatch, **params)`` with those of the params that it has a name
for. Where the names differ the factory returns the algorithm and a dict of the step's further arguments:

    def build(grad_estimator, gamma):
        return blackjax.sgld(grad_estimator), {"step_size": gamma}

A factory is recognised by a first argument ``grad_estimator``, as blackjax has it, or by an attribute
``kind = "blackjax"``; ``blackjax.sgld`` itself is taken where the parameters have its names. Attributes:
``dtype = "float32"``, as of a JAX step. The state is the position, or has it under ``position``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sgtheory.errors import UnusableInput
from verification.checking.adapters.jax_step import names_of, position, settings
from verification.checking.adapters.numpy_step import accepted
from verification.checking.jax_chains import JaxRunner, Pair
from verification.checking.signatures import LIBRARY, Asks, asks_of

KIND, ORDER = "blackjax", 30

_FIRST = ("grad_estimator", "gradient_estimator", "logdensity_grad_estimator")


def matches(target: Any) -> bool:
    """A factory whose first argument is a gradient estimator.

    >>> matches(lambda grad_estimator, step_size: None), matches(lambda theta, gradient, key: theta)
    (True, False)
    """
    if getattr(target, "kind", None) == KIND:
        return True
    return callable(target) and names_of(_factory(target))[:1] in [(name,) for name in _FIRST]


def asks(target: Any) -> Asks | None:
    """By the names of the factory's arguments, else of those of the algorithm's step."""
    build = _factory(target)
    found = asks_of(build, 1, begins=LIBRARY)
    if found is None or found.required:
        return found
    try:
        made = build(_not_yet)
    except Exception:  # whatever it needs, it will say so when it runs
        return None
    algorithm, further = made if isinstance(made, tuple) and len(made) == 2 else (made, {})
    step = asks_of(getattr(algorithm, "step", None), 3, begins=LIBRARY)
    return step and step.without(*further)


def runner(target: Any) -> JaxRunner:
    """The algorithm of every chain."""
    build = _factory(target)

    def made(estimate: Callable[..., Any], params: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        found = build(estimate, **accepted(build, params))
        pair = isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Mapping)
        algorithm, further = found if pair else (found, {})
        if not (hasattr(algorithm, "init") and hasattr(algorithm, "step")):
            got = type(algorithm).__name__
            raise UnusableInput(
                "an algorithm with init and step", got, "return what blackjax.sgld returns"
            )
        return algorithm, {**accepted(algorithm.step, params), **further}

    def begin(states: Mapping[str, Any], key: Any, params: Mapping[str, Any]) -> Any:
        algorithm, _ = made(_not_yet, params)
        keyed = len(names_of(algorithm.init)) > 1
        return algorithm.init(states["theta"], key) if keyed else algorithm.init(states["theta"])

    def move(state: Any, gradient: Any, key: Any, params: Mapping[str, Any]) -> Any:
        def estimate(place: Any, minibatch: Any) -> Any:
            return (-params["N"] * gradient(place, minibatch)).astype(place.dtype)

        algorithm, further = made(estimate, params)
        place = position(state)
        return algorithm.step(key, state, gradient.draw(place), **further)

    return JaxRunner(Pair(begin, move, position), "mean", settings(target)[1])


def _factory(target: Any) -> Any:
    """What blackjax's own objects call, whose arguments have names."""
    return getattr(target, "differentiable", target)


def _not_yet(place: Any, minibatch: Any) -> Any:
    raise UnusableInput(
        "a first state without gradients", "one that asks for them", "use them in the step"
    )
