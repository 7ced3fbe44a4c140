"""Files that are written whole or not at all, even if the power fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name beside a file's to write to; the file appears, or is replaced, when all went well."""
    partial = path.with_name(path.name + ".part")
    try:
        yield partial
        with partial.open("r+b") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a"), b"all of it")
    ...     Path(folder, "a").read_bytes()
    b'all of it'
    """
    with whole(path) as partial:
        partial.write_bytes(content)
