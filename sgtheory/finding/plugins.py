"""What other packages announce: a broken one is told in one line, and everything else goes on."""

from __future__ import annotations

import importlib
import multiprocessing
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.finding.elsewhere import told_in_a_line


@cache
def announced(group: str, taken: tuple[str, ...] = ()) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name; what is ``taken`` is not given away, nor twice."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda e: (_distribution(e), e.name, e.value)):
        if entry.name in taken:
            _tell(entry, f"the name {entry.name} is one of sgtheory's own")
        elif entry.name in found:
            if (entry.value, _distribution(entry)) != (
                found[entry.name].value,
                _distribution(found[entry.name]),
            ):
                _tell(entry, f"{_distribution(found[entry.name])} announces that name too, and is taken")
        else:
            found[entry.name] = entry
    return MappingProxyType(found)


def of(entry: EntryPoint, use: Callable[[Any, ModuleType], Any]) -> Any:
    """What ``use`` makes of what an entry point leads to, and of its module.

    Where that fails it is None, and one line on standard error says why.
    """
    try:
        with told_in_a_line("it", _folder(entry)):
            return use(entry.load(), importlib.import_module(entry.module))
    except UnusableInput as error:
        _tell(entry, str(error))
        return None


def because(entry: EntryPoint) -> str:
    """Who announces what cannot be used, for the one who asked for it by name."""
    return f"{entry.group}: {entry.name} = {entry.value} of {_distribution(entry)}, which is broken"


def _folder(entry: EntryPoint) -> Path | None:
    """Where the distribution of an entry point is: a line of a fault is sought there."""
    try:
        return Path(str(entry.dist.locate_file(""))).resolve() if entry.dist is not None else None
    except (OSError, ValueError):
        return None


def _tell(entry: EntryPoint, words: str) -> None:
    if multiprocessing.parent_process() is None:  # a worker's parent has said it
        said = f"sgtheory: plug-in {_distribution(entry)} ({entry.group}: {entry.name} = {entry.value})"
        print(f"{said} is left out: {' '.join(words.split())}"[:395], file=sys.stderr)


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "of an unknown package"
