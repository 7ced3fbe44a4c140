"""A folder that one run alone may use: a second one is told so in a line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from sgtheory.errors import UnusableInput


class Alone:
    """A folder that is ours until this is closed, or the process has ended, however it ended.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Alone(folder, "a checkpoint"):
    ...     Alone(folder, "a checkpoint")
    Traceback (most recent call last):
        ...
    sgtheory.errors.UnusableInput: expected a checkpoint that no other run uses; got ...
    """

    def __init__(self, folder: str | Path, what: str) -> None:
        self._held: int | None = None
        try:
            self._held = _locked(Path(folder))
        except BlockingIOError:
            raise UnusableInput(
                f"{what} that no other run uses",
                f"{folder}, which one uses now",
                "wait, or choose another",
            ) from None
        except OSError:
            return  # a file system that knows no locks

    def close(self) -> None:
        """Others may use it."""
        if self._held is not None:
            held, self._held = self._held, None
            with suppress(OSError):
                os.close(held)

    def __getstate__(self) -> dict[str, None]:
        return {"_held": None}  # another process does not hold it

    def __enter__(self) -> Alone:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()


def left_behind(folder: str | Path) -> bool:
    """Whether nobody holds a folder any more; where nobody can tell, somebody does."""
    try:
        os.close(_locked(Path(folder)))
    except OSError:
        return False
    return True


def _locked(folder: Path) -> int:
    """What holds the lock: the folder itself, or a file in it where folders cannot be locked."""
    if sys.platform == "win32":
        import msvcrt

        held = os.open(folder / ".lock.part", os.O_RDWR | os.O_CREAT)
        try:
            msvcrt.locking(held, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(held)
            raise BlockingIOError from None
        return held
    import fcntl

    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise
    return held
