"""What other packages announce: a broken one is told in one line, and everything else goes on.

It is loaded in this process, so it may do what Python may. But one that does not come to an end is left
out, what it prints is cut, and functions of others that it puts its own in place of are put back.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, distributions, entry_points
from os import _exit  # its own: while a plug-in is loaded, os._exit only raises
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from sgtheory.errors import UnusableInput, plain
from sgtheory.finding.elsewhere import told_in_a_line

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,79}")
_PATIENCE, _AGAIN, _TIMES = 60.0, 1.0, 3  # seconds to load, then between interruptions, of which so many
_KEPT = {"builtins", "fractions", "json", "math", "numpy", "os", "random", "scipy", "sympy", "sys"}
_ROOMS = {"sgtheory", "simulators", "verification", "reports"}


@cache
def announced(group: str, taken: tuple[str, ...] = ()) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name; what is ``taken`` is not given away, nor twice."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(_every(group), key=lambda e: (_distribution(e), e.name, e.value)):
        if not _NAME.fullmatch(entry.name):
            _tell(entry, "expected a name of letters, digits and _, at most 80; got another")
        elif not EntryPoint.pattern.fullmatch(entry.value):
            _tell(entry, "expected the place module:NAME; got another")
        elif entry.name.lower() in taken:
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
        with _put_back(entry), told_in_a_line("it", _folder(entry)), _within(_PATIENCE, entry):
            return use(entry.load(), importlib.import_module(entry.module))
    except UnusableInput as error:
        _tell(entry, str(error))
        return None


def because(entry: EntryPoint) -> str:
    """Who announces what cannot be used, for the one who asked for it by name."""
    return f"{entry.group}: {entry.name} = {entry.value} of {_distribution(entry)}, which is broken"


def _every(group: str) -> list[EntryPoint]:
    """The entry points of a group; a package whose list cannot be read has none."""
    try:
        return list(entry_points(group=group))
    except Exception:  # of one package, and nobody would have any
        found: dict[str, EntryPoints] = {}
        for package in distributions():
            with contextlib.suppress(Exception):
                found.setdefault(package.name, package.entry_points.select(group=group))
        return [entry for entries in found.values() for entry in entries]


class TooLong(BaseException):
    """Raised by the clock in what does not come to an end; no handler of errors takes it by mistake."""


@contextlib.contextmanager
def _within(seconds: float, entry: EntryPoint) -> Iterator[None]:
    """What takes longer is interrupted, again and again; what goes on all the same ends the command."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    left = _TIMES

    def late(*_: object) -> None:
        nonlocal left
        if not left:
            _tell(
                entry,
                "it does not come to an end, and nothing else can go on; remove it",
                sys.__stderr__,
            )
            _exit(2)
        left -= 1
        raise TooLong(f"no end after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


@contextlib.contextmanager
def _put_back(entry: EntryPoint) -> Iterator[None]:
    """What a plug-in changes for others is as it was: functions of theirs and ours, where we are."""
    importlib.import_module("numpy.linalg")  # so that it is known what it was
    path, modules = list(sys.path), {n: m for n, m in sys.modules.items() if _top(n) in _KEPT | _ROOMS}
    before = [(m, k, v) for m in modules.values() for k, v in vars(m).items() if callable(v)]
    try:
        with contextlib.chdir(Path.cwd()), _streams():
            yield
    finally:
        sys.path += [folder for folder in path if folder not in sys.path]
        sys.modules |= modules
        theirs = [(m, k, v) for m, k, v in before if vars(m).get(k) is not v and not _loaded(m, k)]
        for module, name, value in theirs:
            setattr(module, name, value)
        if theirs:
            names = ", ".join(f"{m.__name__}.{k}" for m, k, _ in theirs)
            _tell(entry, f"what it had changed is put back: {names}", did="is taken, but")


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """What is written past Python goes to standard error too; a second process of ours ends here."""
    ours, copies = os.getpid(), {}
    for number in (1, 2):
        with contextlib.suppress(OSError):  # it was closed before we began
            copies[number] = os.dup(number)
    try:
        if len(copies) > 1 and sys.stdout is not None:
            with contextlib.suppress(OSError, ValueError):  # a reader that has left, a closed stream
                sys.stdout.flush()
            os.dup2(2, 1)
        yield
    finally:
        if os.getpid() != ours:
            _exit(0)
        for number, copy in copies.items():
            os.dup2(copy, number)
            os.close(copy)


def _top(module: str) -> str:
    return module.partition(".")[0]


def _loaded(module: ModuleType, name: str) -> bool:
    """Whether a name is now that of a module within a package, which loading it does."""
    return f"{module.__name__}.{name}" in sys.modules


def _folder(entry: EntryPoint) -> Path | None:
    """Where the distribution of an entry point is: a line of a fault is sought there."""
    try:
        return Path(str(entry.dist.locate_file(""))).resolve() if entry.dist is not None else None
    except (OSError, ValueError):
        return None


def _tell(entry: EntryPoint, words: str, file: Any = None, did: str = "is left out:") -> None:
    if multiprocessing.parent_process() is None:  # a worker's parent has said it
        who = (_distribution(entry), f"({entry.group}: {entry.name} = {entry.value})")
        name, place = (plain(text, 100) for text in who)
        print(plain(f"sgtheory: plug-in {name} {place} {did} {words}", 395), file=file or sys.stderr)


def _distribution(entry: EntryPoint) -> str:
    try:
        return str(entry.dist.name) if entry.dist is not None else "of an unknown package"
    except Exception:  # a package that says nothing of itself
        return "of an unknown package"
