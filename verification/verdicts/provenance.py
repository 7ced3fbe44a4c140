"""What a verdict was made from, so that it can be made again."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sgtheory import registry

_DISTRIBUTIONS = ("sgtheory", "sympy", "numpy", "scipy", "llvmlite")
_ROOMS = ("sgtheory", "simulators", "verification")
_KINDS = (".py", ".npz", ".json", ".lark", ".md", ".bib")


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
    """A hash of every source and every data file of the three rooms that a verdict is made in."""
    root, found = Path(__file__).parents[2], hashlib.sha256()
    for room in _ROOMS:
        files = (p for p in (root / room).rglob("*") if p.suffix in _KINDS)
        for path in sorted(files):
            found.update(path.relative_to(root).as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def fingerprint(*parts: Any) -> str:
    """A hash of what things say of themselves.

    >>> fingerprint("a", 1) == fingerprint("a", 1), fingerprint("a", 1) == fingerprint("a", 2)
    (True, False)
    """
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()[:16]


def content(thing: Any) -> str:
    """All that a claim or a sampler says, with every declaration in it written out.

    The short name of a sampler would be the same after its file was changed.

    >>> from sgtheory import registry
    >>> "Gradient(theta, 0)" in content((registry.sampler("sgd"),)), repr(registry.sampler("sgd"))
    (True, '<Sampler sgd: theta>')
    """
    if isinstance(thing, tuple | list):
        return f"({', '.join(map(content, thing))})"
    if isinstance(thing, dict | MappingProxyType):
        return f"{{{', '.join(f'{k!r}: {content(v)}' for k, v in thing.items())}}}"
    if is_dataclass(thing) and not isinstance(thing, type):
        told = (f"{f.name}={content(getattr(thing, f.name))}" for f in fields(thing) if f.repr)
        return f"{type(thing).__name__}({', '.join(told)})"
    code = getattr(thing, "__code__", None)
    return repr(thing) if code is None else f"{code.co_code!r}{code.co_names!r}{_constants(code)}"


def _constants(code: Any) -> str:
    """Those of the code within it too, whose own repr has an address."""
    parts = (c.co_code + _constants(c).encode() if hasattr(c, "co_code") else c for c in code.co_consts)
    return repr(tuple(parts))


def subject(claim: Any) -> str:
    """All that a claim says and all that its sampler declares: what a kept verdict is kept under."""
    return content((claim, registry.sampler(claim.of) if claim.of else ""))


def declared(claim: Any) -> dict[str, str]:
    """Hashes of a claim's record, and of the sampler that it is about."""
    found = {"claim": fingerprint(claim)}
    if claim.of:
        sampler = claim.setting.sampler
        found["sampler"] = fingerprint(sampler.state, sampler.updates, sampler.noises, sampler.where)
    return found
