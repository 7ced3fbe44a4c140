"""A folder with machine code, kept between processes.

A file begins with the hash of the rest, so a damaged one is never used. It is written to a temporary
name and moved, so a half-written one is never seen. Names say what the code was made from.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

VARIABLE = "SGTHEORY_CACHE"


def folder() -> Path:
    """The cache folder: $SGTHEORY_CACHE, or ``sgtheory`` in the user's cache folder."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "sgtheory"


def kept(path: Path) -> bytes | None:
    """The content of a file, if it is there and whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, image = content[:32], content[32:]
    return image if hashlib.sha256(image).digest() == digest else None


def keep(path: Path, image: bytes) -> None:
    """Write a file, if that can be."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return  # a home that cannot be written to: this process compiles for itself alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(image).digest() + image)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
