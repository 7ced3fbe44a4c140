"""How small an error a time is enough for: trial runs with few chains, and what they took."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

FINEST = 0.01  # of a variance: with less, all chains at once are more than a machine remembers
COARSEST = 0.5
_FINER = 1.5  # a trial run finds an error that many times smaller than the one before it
_TOLD = 0.15  # of the time: a trial run that takes this much says what the whole takes


def afforded(
    run: Callable[[float], Found], until: float, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Found]:
    """The smallest relative error whose ``run`` ends about when the clock shows ``until``, and that run.

    A run takes the same seconds whatever the error, and some for each chain, of which there must be as
    many as the inverse of its square. Where the time is over after a trial run, that is the run: what
    is run is chosen by how long it takes, never by what it finds.

    >>> now = [0.0]
    >>> def run(effect):
    ...     now[0] += 1 + 0.02 / effect**2
    >>> effect, _ = afforded(run, 120.0, lambda: now[0])
    >>> 0.01 < effect < 0.02, round(now[0], 3)
    (True, 120.0)
    """
    enough = _TOLD * (until - clock())
    effect, took = COARSEST, list[tuple[float, float]]()
    while True:
        began = clock()
        found = run(effect)
        took.append((effect**-2, clock() - began))
        many, seconds = took[-1]
        if until - clock() < seconds:
            return effect, found
        if len(took) > 1 and (seconds >= enough or effect / _FINER < FINEST):  # the first one warms up
            break
        effect /= _FINER
    each = seconds / many
    few, less = took[-2]
    if seconds > less:  # else the machine was busy with something else
        each = min(each, (seconds - less) / (many - few))
    left = until - clock() - (seconds - each * many)
    finer = float(max((left / each) ** -0.5, FINEST))
    return finer, run(finer)
