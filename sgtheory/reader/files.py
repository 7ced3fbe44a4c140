"""Files from outside: regular ones only, of bounded size, opened without waiting for anybody."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sgtheory.errors import UnusableInput
from sgtheory.reader import limits

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# A pipe without a writer is opened at once, to be refused, and does not keep us waiting.
_HOW = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def opened(path: str | Path, what: str, remedy: str = "check the path") -> Iterator[BinaryIO]:
    """A regular file, open for reading; ``what`` it is to be is said where it is not.

    >>> with opened("/dev/null", "a problem file") as file:
    ...     pass
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected a problem file; got /dev/null: a device; check the path
    """
    try:
        file = os.fdopen(os.open(path, _HOW), "rb")
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise UnusableInput(what, f"{path}: {_said(error)}", remedy) from None
    with file:
        mode = os.fstat(file.fileno()).st_mode
        for is_one, kind in _KINDS:
            if is_one(mode):
                raise UnusableInput(what, f"{path}: {kind}", remedy)
        yield file


def content(
    path: str | Path, what: str, remedy: str = "check the path", most: int = limits.TEXT
) -> bytes:
    """All bytes of a regular file that has at most so many."""
    with opened(path, what, remedy) as file:
        try:
            size = max(os.fstat(file.fileno()).st_size, 2**16)  # of some that have more it is 0
            found = file.read(min(size, most) + 1)
        except OSError as error:
            raise UnusableInput(what, f"{path}: {_said(error)}", remedy) from None
    if len(found) > most:
        raise UnusableInput(f"{what} of at most {most / 2**20:.3g} MiB", f"{path}: more", "give less")
    return found


def text(path: str | Path, what: str, remedy: str = "check the path", most: int = limits.TEXT) -> str:
    """The text of a regular file in UTF-8; a byte order mark at its beginning is dropped."""
    found = content(path, what, remedy, most)
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"{path}: byte {error.start} is not UTF-8"
        raise UnusableInput(what, place, "save it as UTF-8") from None


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
