"""What a verdict was made from, so that it can be made again."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from functools import cache
from pathlib import Path
from typing import Any

_DISTRIBUTIONS = ("sgtheory", "sympy", "numpy", "scipy", "llvmlite")
_ROOMS = ("sgtheory", "simulators", "verification")


@cache
def versions() -> dict[str, str]:
    """Of Python, of what arithmetic leans on, and a hash of our own sources.

    >>> sorted(versions())
    ['llvmlite', 'numpy', 'python', 'scipy', 'sgtheory', 'sources', 'sympy']
    """
    found = {"python": platform.python_version(), "sources": _sources()}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "from the tree"
    return found


def _sources() -> str:
    """A hash of every file of the three rooms that a verdict is made in."""
    root, found = Path(__file__).parent.parent, hashlib.sha256()
    for room in _ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            found.update(path.relative_to(root).as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def fingerprint(*parts: Any) -> str:
    """A hash of what things say of themselves.

    >>> fingerprint("a", 1) == fingerprint("a", 1), fingerprint("a", 1) == fingerprint("a", 2)
    (True, False)
    """
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()[:16]


def declared(claim: Any) -> dict[str, str]:
    """Hashes of a claim's record, and of the sampler that it is about."""
    found = {"claim": fingerprint(claim)}
    if claim.of:
        sampler = claim.setting.sampler
        found["sampler"] = fingerprint(sampler.state, sampler.updates, sampler.noises, sampler.where)
    return found
