"""Claims judged by several processes: verdicts come in the order of the claims, whatever ends first."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from verification.measure import Plan

T = TypeVar("T")

_WORTH = 8  # claims: a process takes a second or two to begin


def each(
    judged: Callable[[Any, Plan], T], planned: Sequence[tuple[Any, Plan]], jobs: int = 1
) -> Iterator[T]:
    """What a function of this package says of each claim under its plan.

    Claims from a plain file stay in this process: others could not import it.
    """
    if min(jobs, len(planned) // _WORTH + 1) < 2 or any(c.source for c, _ in planned):
        yield from (judged(claim, plan) for claim, plan in planned)
        return
    before = set(active_children())
    pool = ProcessPoolExecutor(min(jobs, len(planned)), get_context("spawn"), _begin)
    try:
        for future in [pool.submit(judged, claim, plan) for claim, plan in planned]:
            yield future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(active_children()) - before:
            child.terminate()
        raise
    pool.shutdown()


def _begin() -> None:
    """In a new process: its parent decides when to stop, and formulas, which stay, are not collected."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(50_000, 20, 50)  # a sixth of the time otherwise
