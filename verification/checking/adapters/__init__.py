"""Adapters: each file makes a ``Runner`` of one kind of foreign sampler. Found by scanning.

A file has ``KIND`` (a word), ``matches(target) -> bool``, ``runner(target) -> Runner`` and ``ORDER``, by
which the more special ones are asked first. It imports the library that it is for only where it is used.
``asks(target) -> Asks | None``, where a file has it, or ``asks`` of its runner, says which parameters a
target has names for.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

from sgtheory.errors import UnusableInput
from verification.checking.signatures import Asks


def adapters() -> list[ModuleType]:
    """All adapters, the most special first."""
    names = [m.name for m in pkgutil.iter_modules(__path__)]
    found = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return sorted(found, key=lambda m: m.ORDER)


def adapter(target: Any, kind: str | None = None, name: str = "") -> ModuleType:
    """The adapter that takes a target, or the one that is asked for by its kind.

    A target may say its kind itself, by an attribute ``kind``.

    >>> adapter(lambda state, gradient, rng: state).KIND
    'numpy'
    """
    every = adapters()
    said = getattr(target, "kind", None)
    if kind is None and isinstance(said, str) and said in {a.KIND for a in every}:
        kind = said
    if kind is not None:
        found = next((a for a in every if kind == a.KIND), None)
        if found is None:
            raise UnusableInput(
                f"a kind of target: {', '.join(a.KIND for a in every)}", kind, "choose one"
            )
        return found
    found = next((a for a in every if a.matches(target)), None)
    if found is None:
        raise UnusableInput(
            "a step function (state, gradient, rng, **params) -> state, or one that an adapter takes",
            f"{type(target).__name__}{name and ' at ' + name}",
            f"see the adapters: {', '.join(a.KIND for a in every)}",
        )
    return found


def asks_of(found: ModuleType, target: Any, runner: Any = None) -> Asks | None:
    """What a target asks for, or None where neither its adapter nor its runner can tell.

    >>> def step(theta, gradient, rng, eps): ...
    >>> asks_of(adapter(step), step).required
    ('eps',)
    """
    asks = getattr(found, "asks", None)
    return getattr(runner, "asks", None) if asks is None else asks(target)


def begun_as_declared(runner: Any) -> Any:
    """A runner whose chains begin in the declared states, in place of what the target's init makes."""
    return runner.begun_as_declared()
