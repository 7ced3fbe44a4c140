"""First hours that do not come out as they must yet; and those that are tried with ``-m long`` alone."""

from __future__ import annotations

import zlib

# Taken away, one by one, as they are mended: each is expected to fail, and fails the run if it does not.
OWED: dict[str, str] = {}

FIRST = frozenset({"check.numpy.sgld_plain", "check.numpy.momentum_buffer"})  # accused once
MINUTES = frozenset({"readme.errata"})  # it judges every entry of the longest paper


def is_long(id_: str) -> bool:
    """Whether a first hour is tried with ``-m long`` alone: each check takes seconds, and they are many.

    One check in three is in the second stage; which one hangs on its name alone.
    """
    if id_ in FIRST:
        return False
    return id_ in MINUTES or (id_.startswith("check.") and zlib.crc32(id_.encode()) % 3 != 0)
