"""Carrying out tasks on threads, with results in order, a progress display, and a clean stop.

Kernels release Python's lock, so threads are enough; nothing depends on how many there are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Protocol, TypeVar

Progress = Callable[[int, int], None]
Result = TypeVar("Result")


class Stopped(RuntimeError):
    """Raised in a worker when the run is being given up."""


class Meter:
    """Counts the work done, for the progress display, and tells workers to stop."""

    def __init__(self, total: int, progress: Progress | None = None) -> None:
        self._total, self._progress, self._done = total, progress, 0
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def add(self, work: int) -> None:
        """Called by a worker after each piece of work."""
        if self._stop.is_set():
            raise Stopped
        with self._lock:
            self._done += work

    @property
    def stopped(self) -> bool:
        """Whether the run is being given up."""
        return self._stop.is_set()

    def show(self, under_way: int = 0) -> None:
        """Called by the main thread; work under way elsewhere is not yet counted here."""
        if self._progress:
            self._progress(self._done + under_way, self._total)

    def stop(self) -> None:
        """Make every worker leave at its next piece of work."""
        self._stop.set()


class Crew(Protocol):
    """Who carries out the pieces of a run elsewhere."""

    @property
    def cpu_seconds(self) -> float: ...  # noqa: D102
    def in_order(self, run: Any, what: Any, places: Any, meter: Meter) -> Iterator[Any]: ...  # noqa: D102


def in_order(tasks: Sequence[Callable[[], Result]], workers: int, meter: Meter) -> Iterator[Result]:
    """The results of tasks in order; only a few tasks run ahead, so that memory is bounded.

    >>> list(in_order([lambda: 1, lambda: 2], workers=2, meter=Meter(0)))
    [1, 2]
    """
    with ThreadPoolExecutor(workers) as pool:
        ahead: list[Future[Result]] = []
        try:
            for task in tasks:
                ahead.append(pool.submit(task))
                if len(ahead) > 2 * workers:
                    yield _wait(ahead.pop(0), meter)
            while ahead:
                yield _wait(ahead.pop(0), meter)
        except BaseException:  # Ctrl-C too: leaving the pool waits until its workers have left
            meter.stop()
            for future in ahead:
                future.cancel()
            raise


def _wait(future: Future[Result], meter: Meter) -> Result:
    while not wait([future], timeout=0.1).done:
        meter.show()
    meter.show()
    return future.result()
