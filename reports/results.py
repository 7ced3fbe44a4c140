"""What pages and their texts are kept under: everything that they are made from, told without SymPy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from sgtheory.files import keeper
from verification.verdicts.provenance import fingerprint, versions

T = TypeVar("T")


def is_kept(name: str) -> bool:
    """Whether something is there already."""
    return keeper.holds("pages", _hashed(name))


def kept(name: str, make: Callable[[], T]) -> T:
    """What depends on nothing but its name and the sources."""
    return keeper.made("pages", _hashed(name), make)


def keep(name: str, value: object) -> None:
    """Keep something anew, for ``kept`` to find."""
    keeper.keep_record("pages", _hashed(name), value)


def text(name: str) -> str | None:
    """A text that was kept."""
    found = keeper.kept("pages", _hashed(name))
    return None if found is None else found.decode()


def keep_text(name: str, words: str) -> None:
    """Keep a text that depends on nothing but its name and the sources."""
    keeper.keep("pages", _hashed(name), words.encode())


def _hashed(name: str) -> str:
    return fingerprint(name, versions(), _sources())


@cache
def _sources() -> str:
    """A hash of what pages are made with."""
    root, found = Path(__file__).parent, hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".css", ".js", ".json")):
        found.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]
