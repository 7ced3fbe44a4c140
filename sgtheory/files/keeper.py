"""The one keeper of results: what was computed once, for the next run.

A place is a kind and a name; the name is a hash of everything that the result was made from. What is
kept is signed with a key of the user's own, so what is damaged, or was put there by another, is not
read at all. A folder that others can write to is not used. When it grows too large, the oldest go.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import pickle
import re
import secrets
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.process import parent_process
from pathlib import Path
from typing import TypeVar

from sgtheory.errors import UnusableInput
from sgtheory.files.writing import PART, write, write_new

T = TypeVar("T")

VARIABLE = "SGTHEORY_CACHE"
LIMIT = 2_000_000_000  # bytes; the oldest go beyond them
KINDS = ("kernels", "verdicts", "judged", "audited", "pages", "experiments", "last", "index")
SUFFIX = ".kept"
_MAGIC = b"sgtheory kept 1\n"
_KEY_BYTES = 32
_SWEEP = 64  # one writing in so many looks whether the folder is too large
_STALE = 3600.0  # seconds after which a file that was being written is nobody's
# What versions before 0.2 left there.
_OLD = re.compile(r"[0-9a-f]{16,64}\.(kernel|cubin|ptx|so|json|pickle|part)")


class Unsafe(UserWarning):
    """Said once, where the chosen folder is not used."""


@dataclass(frozen=True)
class Amount:
    """How much is kept of a kind."""

    kind: str
    files: int
    bytes: int


def folder() -> Path:
    """The chosen folder: $SGTHEORY_CACHE, or ``sgtheory`` in the user's cache folder."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else _own("XDG_CACHE_HOME", "Caches", ".cache") / "sgtheory"


def state() -> Path:
    """The folder with the user's key: ``sgtheory`` in the user's state folder."""
    return _own("XDG_STATE_HOME", "Application Support", ".local/state") / "sgtheory"


def _own(variable: str, of_mac: str, of_others: str) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / of_mac
    return Path(os.environ.get(variable) or Path.home() / of_others)


def used() -> Path:
    """The folder that is used: the chosen one, or a fresh one where others could write to that."""
    return _used(folder())


@cache
def _used(chosen: Path) -> Path:
    danger = _danger(chosen)
    if not danger:
        return chosen
    name = hashlib.sha256(os.fspath(chosen.absolute()).encode()).hexdigest()[:16]
    fresh = state() / f"kept-{name}"
    if parent_process() is None:  # workers have a parent that says it
        warnings.warn(
            f"expected a cache folder that nobody else can write to; got {chosen}, {danger}; {fresh} is"
            f" used instead: chmod go-w it, or choose another with {VARIABLE}",
            Unsafe,
            stacklevel=2,
        )
    return fresh


def _danger(place: Path) -> str:
    """Why others could change what is in a folder, or nothing."""
    if os.name != "posix":
        return ""
    try:
        found = place.stat()
    except OSError:
        return ""  # not there yet
    if found.st_uid != os.geteuid():
        return "which belongs to another user"
    return "which others can write to" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def key() -> bytes | None:
    """The user's key, made when it is first needed; none where it could not be kept secret."""
    return _key(state())


@cache
def _key(own: Path) -> bytes | None:
    path = own / "key"
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            write_new(path, secrets.token_bytes(_KEY_BYTES), 0o600)
        found, content = path.stat(), path.read_bytes()
    except (OSError, UnusableInput):
        return None
    private = os.name != "posix" or (found.st_uid == os.geteuid() and not found.st_mode & 0o077)
    return content if private and len(content) == _KEY_BYTES and not _danger(own) else None


def path(kind: str, name: str) -> Path:
    """Where something is kept, if it is."""
    assert kind in KINDS, kind
    return used() / kind / f"{name}{SUFFIX}"


def kept(kind: str, name: str) -> bytes | None:
    """What is kept, if it is there, whole, and of our own making; its use is noted."""
    place, own = path(kind, name), key()
    try:
        content = place.read_bytes()
    except OSError:
        return None
    begin = len(_MAGIC)
    signature, image = content[begin : begin + 32], content[begin + 32 :]
    if own is None or not hmac.compare_digest(signature, _signature(own, kind, name, image)):
        return None
    with suppress(OSError):
        os.utime(place, ns=(time.time_ns(), place.stat().st_mtime_ns))
    return image


def keep(kind: str, name: str, content: bytes) -> None:
    """Keep something, if that can be: where nothing can be written, nothing is kept."""
    place, own = path(kind, name), key()
    if own is None:
        return
    try:
        for needed in (place.parent.parent, place.parent):
            needed.mkdir(mode=0o700, parents=True, exist_ok=True)
        signed = _MAGIC + _signature(own, kind, name, content) + content
        write(place, signed, durable=False)
    except (OSError, UnusableInput):
        return
    if secrets.randbelow(_SWEEP) == 0:
        sweep()


def holds(kind: str, name: str) -> bool:
    """Whether something is there; it may still turn out to be damaged when it is read."""
    return path(kind, name).is_file()


def forget(kind: str, name: str) -> None:
    """Keep it no longer."""
    with suppress(OSError):
        path(kind, name).unlink()


def made(kind: str, name: str, make: Callable[[], T]) -> T:
    """What ``make`` returns, made once. The name says all that it depends on.

    It is a record of this package, which the key's owner alone can have put there.
    """
    content = kept(kind, name)
    if content is not None:
        with suppress(Exception):  # of a class that is no longer what it was
            found: T = pickle.loads(content)
            return found
    value = make()
    keep_record(kind, name, value)
    return value


def keep_record(kind: str, name: str, value: object) -> None:
    """Keep a record of this package, for ``made`` to find."""
    keep(kind, name, pickle.dumps(value))


def _signature(own: bytes, kind: str, name: str, content: bytes) -> bytes:
    """Of a content in its place: a file that is moved to another is not read there."""
    return hmac.digest(own, f"{kind}/{name}\0".encode() + content, "sha256")


def amounts() -> tuple[Amount, ...]:
    """What is kept: of each kind how many files, and how large they are."""
    found = dict.fromkeys((*KINDS, "older versions"), (0, 0))
    for file, size, _ in _files(used()):
        kind = file.parent.name if file.suffix == SUFFIX else "older versions"
        files, total = found[kind]
        found[kind] = (files + 1, total + size)
    return tuple(Amount(kind, *told) for kind, told in found.items() if told[0] or kind in KINDS)


def empty() -> int:
    """Remove all that is kept, and nothing else; how many files that were."""
    return sum(_removed(file) for file, _, _ in list(_files(used())))


def sweep(limit: int = LIMIT) -> int:
    """Remove what was used longest ago, until the rest is within the limit; how many files went."""
    files = sorted(_files(used()), key=lambda found: found[2], reverse=True)
    total, gone = 0, 0
    for file, size, when in files:
        total += size
        if total > limit or (file.suffix == PART and when < time.time() - _STALE):
            gone += _removed(file)
    return gone


def _removed(file: Path) -> bool:
    with suppress(OSError):
        file.unlink()
        return True
    return False


def _files(root: Path) -> Iterator[tuple[Path, int, float]]:
    """Our files with sizes and the times of their last use: a folder may hold other things too."""
    ours = (f"{kind}/{end}" for kind in KINDS for end in (f"*{SUFFIX}", f".*{PART}"))
    older = ("*.*", "verdicts/*.*", "experiments/*.*", "judged/*/*.*")
    seen = {f for pattern in ours for f in root.glob(pattern)}
    seen |= {f for pattern in older for f in root.glob(pattern) if _OLD.fullmatch(f.name)}
    for file in sorted(seen):
        with suppress(OSError):
            found = file.lstat()
            if stat.S_ISREG(found.st_mode):
                yield file, found.st_size, max(found.st_atime, found.st_mtime)
