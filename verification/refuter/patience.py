"""How long something may take: computing time of this process, however busy the machine is."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 15.0  # seconds of computing, for one question that a theory is asked
_AGAIN = 1.0  # seconds after which it is raised again, where something took it for its own


class OutOfTime(BaseException):
    """Raised by the clock, so that no handler of errors takes it; ``limit`` is what has passed."""

    def __init__(self, limit: object) -> None:
        super().__init__()
        self.limit = limit


@contextmanager
def limited(seconds: float) -> Iterator[object]:
    """``OutOfTime`` is raised after so many seconds of computing; an earlier limit stays.

    There is none where Python has no such clock, or in a thread other than the first.

    >>> with limited(0.01):
    ...     while True: pass
    Traceback (most recent call last):
    verification.refuter.patience.OutOfTime
    """
    limit = object()
    own = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    left = signal.getitimer(signal.ITIMER_PROF)[0] if own else 0.0
    if not own or 0 < left <= seconds:
        yield limit
        return

    def stop(*_: Any) -> None:
        raise OutOfTime(limit)

    begun, before = time.process_time(), signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield limit
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if left:
            rest = left - (time.process_time() - begun)
            signal.setitimer(signal.ITIMER_PROF, max(rest, _AGAIN / 100), _AGAIN)


def in_time(work_out: Callable[[], Any], seconds: float, otherwise: Any = None) -> Any:
    """What is worked out in so many seconds of computing; an earlier limit is told to who set it."""
    own: object = None
    try:
        with limited(seconds) as own:
            return work_out()
    except OutOfTime as late:
        if late.limit is not own:
            raise
        return otherwise
