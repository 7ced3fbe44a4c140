"""The one writer of files: each appears whole or not at all, even if the power fails.

A file is written to a name of its own in its folder, which nobody can foresee, and moved into its
place; folders that are missing are made then, and not before. A link is followed to what it names.
A device or a pipe is written to and stays what it is. Whatever goes wrong is one line that says what to
do; nothing half-written stays.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from sgtheory.errors import UnusableInput
from sgtheory.files.locking import Alone, left_behind

_TEMPORARY, _NEW = ".held", 60.0  # the end of the names of temporary folders; seconds that one is new
PART = ".part"  # the end of the names of files that are being written
_STREAMS = re.compile(r"/(?:dev/(?:stdout|stderr|fd/(\d+))|proc/self/fd/(\d+))")  # that we have open
_NUMBERS = {"/dev/stdout": 1, "/dev/stderr": 2}
_REMEDIES = {
    errno.ENOSPC: "make room on the disk, or name a file on another",
    errno.EDQUOT: "make room on the disk, or name a file on another",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f)",
    errno.ENXIO: "start its reader first",
}


@contextmanager
def whole(path: str | Path, durable: bool = True) -> Iterator[IO[bytes]]:
    """A file to write to; it appears, or is replaced, when the block has ended well.

    Where it may be lost in a power failure, because it can be made again, it need not be ``durable``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole(Path(folder, "a")) as file:
    ...         _ = file.write(b"all of it")
    ...     Path(folder, "a").read_bytes(), os.listdir(folder)
    (b'all of it', ['a'])
    """
    with _in_words(path):
        if _is_stream(path):
            buffer = io.BytesIO()
            yield buffer
            _send(path, buffer.getvalue())
            return
        target = os.path.realpath(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        partial, descriptor = _beside(target)
        try:
            with os.fdopen(descriptor, "wb") as file:
                with suppress(FileNotFoundError):
                    os.chmod(partial, stat.S_IMODE(os.stat(target).st_mode))
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            os.replace(partial, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(partial)
            raise
        if durable:
            _settle(os.path.dirname(target))


def write(path: str | Path, content: bytes | str, durable: bool = True) -> Path:
    """Write a file whole or not at all; text is UTF-8, its lines as they are.

    >>> write("", "nothing")
    Traceback (most recent call last):
        ...
    sgtheory.errors.UnusableInput: expected the name of a file to write; got nothing; name one
    """
    with whole(path, durable) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return Path(path)


def write_new(path: str | Path, content: bytes | str, mode: int = 0o666) -> bool:
    """Write a file that is not there yet, whole at once; False where there is one, which stays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_new(Path(folder, "a"), "first"), write_new(Path(folder, "a"), "second")
    (True, False)
    """
    with _in_words(path):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        partial, descriptor = _beside(os.path.abspath(path), mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                # a name that is no text, of a file, may stand in it
                file.write(content.encode(errors="replace") if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            _take(partial, path)
        except FileExistsError:
            return False
        finally:
            with suppress(OSError):
                os.unlink(partial)
    return True


def append(path: str | Path, text: str) -> None:
    """Add lines to a file that others write to as well."""
    with _in_words(path):
        _send(path, text.encode(), os.O_CREAT)


def try_file(path: str | Path) -> Path:
    """Refuse now what could not be written later: before long work, not after it.

    Nothing is left of the trial, not a folder that had to be made for it. A pipe stays open until this
    process ends: its reader would take our leaving for the end of what is written.
    """
    with _in_words(path):
        if _is_stream(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            if not _STREAMS.fullmatch(os.path.abspath(path)) and stat.S_ISFIFO(os.stat(path).st_mode):
                os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            return Path(path)
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with _for_now(Path(target).parent):
            partial, descriptor = _beside(target)
            os.close(descriptor)
            os.unlink(partial)
    return Path(path)


@contextmanager
def _for_now(folder: Path) -> Iterator[None]:
    """A folder that is there as long as the block runs; whatever was missing is missing again."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for made in missing:
            with suppress(OSError):
                made.rmdir()


class TemporaryFolder:
    """A new folder for what is needed for a while: a block, or as long as somebody holds this.

    Nothing is said where nobody ended it: a generator that was left half way ends it when it is
    collected, and Python may collect the folder before the generator. Who is ended by force leaves it
    behind: the next one who makes one, a minute later, takes away what nobody holds.

    >>> with TemporaryFolder("sgtheory-") as folder:
    ...     os.path.isdir(folder)
    True
    >>> os.path.exists(folder)
    False
    """

    def __init__(self, prefix: str) -> None:
        try:
            _sweep(tempfile.gettempdir())
            self.name = tempfile.mkdtemp(_TEMPORARY, prefix)
        except OSError as error:
            raise UnusableInput(
                "a folder for temporary files",
                error.strerror or str(error),
                "make room on the disk, or set TMPDIR to a folder that can be written",
            ) from None
        self.cleanup = weakref.finalize(self, _taken_away, self.name, Alone(self.name, "a folder"))

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()


def _taken_away(folder: str, held: Alone) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    held.close()


@cache
def _sweep(home: str) -> None:
    """Take away our own temporary folders whose process is no more; a new one may not be held yet."""
    if not hasattr(os, "getuid"):
        return
    with suppress(OSError), os.scandir(home) as there:
        for one in there:
            if one.name.startswith("sgtheory-") and one.name.endswith(_TEMPORARY):
                with suppress(OSError):
                    known = one.stat(follow_symlinks=False)
                    ours = stat.S_ISDIR(known.st_mode) and known.st_uid == os.getuid()
                    if ours and time.time() - known.st_mtime > _NEW and left_behind(one.path):
                        shutil.rmtree(one.path, ignore_errors=True)


def try_folder(folder: str | Path) -> Path:
    """Make a folder, or refuse, before long work; files can be written in it."""
    if not os.fspath(folder):
        raise UnusableInput("the name of a folder to write to", "nothing", "name one")
    try:
        try_file(Path(folder, "any"))
        os.makedirs(folder, exist_ok=True)
    except UnusableInput as error:
        got = error.got.replace(str(Path(folder, "any")), str(folder))
        raise UnusableInput("a folder that can be written", got, "choose another") from None
    return Path(folder)


def _is_stream(path: str | Path) -> bool:
    """Whether a path names what is written to in place: a device, a pipe, an open stream."""
    if not os.fspath(path):
        raise UnusableInput("the name of a file to write", "nothing", "name one")
    if _STREAMS.fullmatch(os.path.abspath(path)):
        return True
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return not stat.S_ISREG(mode)


def _beside(target: str, mode: int = 0o666) -> tuple[str, int]:
    """A new file in the folder of another, under a name that nobody knows; nothing is followed."""
    folder, name = os.path.split(target)
    partial = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}{PART}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    for further in ("O_NOFOLLOW", "O_BINARY", "O_CLOEXEC"):
        flags |= getattr(os, further, 0)
    return partial, os.open(partial, flags, mode)


def _take(partial: str, path: str | Path) -> None:
    """Give a file a name that must be free."""
    try:
        os.link(partial, path, follow_symlinks=False)  # unlike a rename it never replaces
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError from None
        os.replace(partial, path)


def _send(path: str | Path, content: bytes, further: int = 0) -> None:
    """Write at the end of what is there; a pipe without a reader is refused, not waited for."""
    own = _STREAMS.fullmatch(os.path.abspath(path))
    if own:  # in its order with what was printed; another opening would begin at the beginning
        sys.stdout.flush()
        number = int(own[1] or own[2] or _NUMBERS[own[0]])
        with os.fdopen(os.dup(number), "wb") as file:
            file.write(content)
        return
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | further, 0o666)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "ab", closefd=True) as file:
        file.write(content)


def _settle(folder: str) -> None:
    """Put a rename on the disk, where folders can be asked to."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _in_words(path: str | Path) -> Iterator[None]:
    """An error of the system as one line."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has gone, and knows
    except OSError as error:
        why = error.strerror or str(error)
        remedy = _REMEDIES.get(error.errno or 0, "name another")
        raise UnusableInput("a file that can be written", f"{path}: {why}", remedy) from None
    except ValueError as error:
        if isinstance(error, UnusableInput) or "null" not in str(error):
            raise
        raise UnusableInput("the name of a file", "one with a NUL", "name another") from None
