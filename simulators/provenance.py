"""With what something was computed: versions, and a fingerprint of the sources that made it."""

from __future__ import annotations

import hashlib
import importlib.metadata
from functools import cache
from pathlib import Path

# What the bits of a run can depend on, beside the sources themselves.
_DISTRIBUTIONS = ("numpy", "llvmlite")


@cache
def versions() -> dict[str, str]:
    """The versions that decide the bits of a run, by name.

    >>> sorted(versions())
    ['llvmlite', 'numpy', 'sgtheory']
    """
    found = {name: _version(name) for name in _DISTRIBUTIONS}
    # two checkouts of one version need not be the same
    return {"sgtheory": f"{_version('sgtheory', 'unreleased')}, sources {_fingerprint()}", **found}


def _version(name: str, otherwise: str = "not installed") -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return otherwise


def _fingerprint() -> str:
    """A hash of everything in this folder."""
    root = Path(__file__).parent
    found = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".h"):
            found.update(path.relative_to(root).as_posix().encode())
            found.update(path.read_text(encoding="utf-8").encode())
    return found.hexdigest()[:12]
