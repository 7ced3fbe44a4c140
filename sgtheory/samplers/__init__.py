"""One file per sampler. Found by scanning: there is no list to edit."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    from sgtheory.registry import names, own, sampler

    if name in own("samplers"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in names("samplers"):  # of another package
        return sampler(name)
    raise AttributeError(f"no sampler called {name!r}; there are {', '.join(names('samplers'))}")


def __dir__() -> list[str]:
    from sgtheory.registry import names

    return list(names("samplers"))
