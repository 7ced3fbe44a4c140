"""One file per model. Found by scanning: there is no list to edit."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    from sgtheory.registry import model, names, own

    if name in own("models"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in names("models"):  # of another package
        return model(name)
    raise AttributeError(f"no model called {name!r}; there are {', '.join(names('models'))}")


def __dir__() -> list[str]:
    from sgtheory.registry import names

    return list(names("models"))
