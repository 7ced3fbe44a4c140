"""Which packages that are not always needed are here, and what installs one of them."""

from __future__ import annotations

import importlib.metadata
import re

_ROOMS = ("sgtheory", "simulators", "verification", "reports")


def is_ours(module: str) -> bool:
    """Whether a module is one of this project's.

    >>> is_ours("verification.strategies"), is_ours("hypothesis")
    (True, False)
    """
    return module.partition(".")[0] in _ROOMS


def missing_packages() -> tuple[str, ...]:
    """Packages that some extra names and that are not installed."""
    return tuple(sorted({name for name, _ in _wanted() if not _is_installed(name)}))


def installs(package: str) -> str:
    """What ``pip install`` is given for a package: the extra that has it, where one has.

    >>> installs("no_such_package")
    'no_such_package'
    """
    extra = next((extra for name, extra in _wanted() if name == package and extra), "")
    return f"'sgtheory[{extra}]'" if extra else package


def _wanted() -> list[tuple[str, str]]:
    """What the distribution says that it needs: each name with its extra."""
    try:
        told = importlib.metadata.requires("sgtheory") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [(re.split(r"[^A-Za-z0-9._-]", line)[0], _extra(line)) for line in told]


def _extra(line: str) -> str:
    found = re.search(r"extra == ['\"]([^'\"]+)", line)
    return found[1] if found else ""


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
