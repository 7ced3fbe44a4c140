"""Where a target is: ``module:attribute`` or ``file.py:name``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from sgtheory.errors import UnusableInput


def target_at(address: str) -> Any:
    """The object that an address names.

    >>> target_at("math:sqrt")(4.0)
    2.0
    """
    where, colon, name = address.rpartition(":")
    if not colon or not where or not name:
        raise UnusableInput("module:attribute or file.py:name", repr(address), "add a colon and a name")
    found: Any = _file(Path(where)) if where.endswith(".py") else _module(where)
    for part in name.split("."):
        if not hasattr(found, part):
            known = (
                [n for n in vars(found) if not n.startswith("_")] if hasattr(found, "__dict__") else []
            )
            raise UnusableInput(
                f"{part} in {where}", "no such name", f"it has: {', '.join(known[:12]) or 'nothing'}"
            )
        found = getattr(found, part)
    return found


def _file(path: Path) -> Any:
    if not path.is_file():
        raise UnusableInput("a Python file", str(path), "check the path")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UnusableInput(
            f"{path.name} to import", f"{type(error).__name__}: {error}", "mend it"
        ) from error
    return module


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UnusableInput(
            f"a module {name} to import",
            f"{type(error).__name__}: {error}",
            "install it, or check the name",
        ) from error
