"""How far a long command has come: a bar on a terminal, and lines now and then where there is none."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

Tell = Callable[[str, int, int], None]

EVERY = 15.0  # seconds between two lines


@contextmanager
def phases(what: str, every: float = EVERY, file: Any = None) -> Iterator[Tell]:
    """Is told the phase, how much of it is done, and how much there is; shows that on standard error.

    Without a terminal there is a line when a phase begins, and one whenever some seconds have passed,
    whether anything was done in them or not; none before the first phase, where errors are told alone.
    """
    file = sys.stderr if file is None else file
    shown = _bar(what, file) if file.isatty() else _lines(what, every, file)
    with shown as tell:
        yield tell


@contextmanager
def _bar(what: str, file: Any) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(f"{what}: {{task.description}}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(file=file), transient=True) as bar:
        task = bar.add_task("beginning", total=None)
        yield lambda phase, done, total: bar.update(task, description=phase, completed=done, total=total)


@contextmanager
def _lines(what: str, every: float, file: Any) -> Iterator[Tell]:
    began, ended = monotonic(), threading.Event()
    now: list[tuple[str, int, int]] = [("beginning", 0, 0)]

    def say() -> None:
        phase, done, total = now[0]
        many = f" {done} of {total}" if total else ""
        with suppress(OSError, ValueError):  # the reader went away: the work goes on
            file.write(f"{what}: {phase}{many}, {_told(monotonic() - began)}\n")
            file.flush()

    def keep_saying() -> None:
        while not ended.wait(every):
            say()

    def tell(phase: str, done: int, total: int) -> None:
        is_new = phase != now[0][0]
        now[0] = (phase, done, total)
        if is_new:
            say()

    thread = threading.Thread(target=keep_saying, daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        ended.set()
        thread.join()


def _told(seconds: float) -> str:
    """Seconds as people say them.

    >>> _told(7.9), _told(335)
    ('7 s', '5 min 35 s')
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
