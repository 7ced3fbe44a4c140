"""The index of what there is: written by a scan, read by everything that only needs names and words.

A scan imports every declaration and every claim, and with them SymPy: seconds. Its rows are kept under
a hash of all that they are made from: our sources and data, the versions of what prints formulas, and
the files of the packages that announce plug-ins. Where any of these changes, the scan is made again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from sgtheory import registry
from sgtheory.files import keeper
from sgtheory.finding.plugins import announced
from verification.library import paper_keys
from verification.verdicts.provenance import fingerprint, versions

GROUPS = ("sgtheory.samplers", "sgtheory.models", "sgtheory.papers")
KINDS = ("samplers", "models", "claims", "papers", "experiments", "conventions")


def rows(kind: str) -> list[dict[str, Any]]:
    """What there is of a kind, each with its name and title.

    >>> [row["name"] for row in rows("models")][:2]
    ['double_well', 'gaussian2d']
    """
    name = _name(kind)
    found = _read(name)
    if found is not None:
        return found
    from verification.library.listing import SCANS

    found = SCANS[kind]()
    if whole():
        keeper.keep("index", name, json.dumps(found).encode())
    return found


def names(kind: str) -> list[str]:
    """The names of a kind."""
    return [row["name"] for row in rows(kind)]


def lacks(kind: str, name: str) -> bool:
    """Whether the kept index says that there is no such name; where none is kept, nothing is scanned.

    >>> lacks("models", "quadratic")
    False
    """
    found = _read(_name(kind))
    return found is not None and all(row["name"] != name for row in found)


def _name(kind: str) -> str:
    """What the rows of a kind are kept under: all that they are made from."""
    return fingerprint(kind, versions(), of_plugins())


def _read(name: str) -> list[dict[str, Any]] | None:
    kept = keeper.kept("index", name)
    return None if kept is None else json.loads(kept)


def whole() -> bool:
    """Whether no plug-in is broken: one that is may work in the next run, and is told until then."""
    loaded = (registry.samplers(), registry.models(), paper_keys())
    papers = (*_own(GROUPS[2]), *announced(GROUPS[2], _own(GROUPS[2])))
    known = (registry.names("samplers"), registry.names("models"), papers)
    return all(set(k) == set(one) for k, one in zip(known, loaded, strict=True))


def of_plugins() -> list[tuple[str, str, str, str, str]]:
    """Who announces what, and what is in the files of its package."""
    return [
        (group, entry.name, entry.value, entry.dist.version if entry.dist else "", _content(entry))
        for group in GROUPS
        for entry in announced(group, _own(group)).values()
    ]


def _own(group: str) -> tuple[str, ...]:
    family = group.partition(".")[2]
    if family == "papers":
        from verification.library import own

        return own()
    return registry.own(family)


def _content(entry: EntryPoint) -> str:
    """A hash of every source of the package that an entry point leads into, which is not imported."""
    found = hashlib.sha256()
    for path in _files(entry.module.partition(".")[0]):
        found.update(path.as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def _files(package: str) -> Iterator[Path]:
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield from sorted(p for p in Path(folder).rglob("*") if p.suffix in (".py", ".json", ".toml"))
    if spec and spec.origin and not spec.submodule_search_locations and Path(spec.origin).is_file():
        yield Path(spec.origin)
