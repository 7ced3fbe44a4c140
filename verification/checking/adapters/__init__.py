"""Adapters: each file makes a ``Runner`` of one kind of foreign sampler. Found by scanning.

A file has ``KIND`` (a word), ``matches(target) -> bool``, ``runner(target) -> Runner`` and ``ORDER``, by
which the more special ones are asked first. It imports the library that it is for only where it is used.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

from sgtheory.errors import UnusableInput


def adapters() -> list[ModuleType]:
    """All adapters, the most special first."""
    names = [m.name for m in pkgutil.iter_modules(__path__)]
    found = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return sorted(found, key=lambda m: m.ORDER)


def adapter(target: Any, kind: str | None = None) -> ModuleType:
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
            f"{type(target).__name__}",
            f"see the adapters: {', '.join(a.KIND for a in every)}",
        )
    return found
