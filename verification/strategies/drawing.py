"""Drawing from a strategy outside a Hypothesis test: many examples at once, and the smallest one.

Both see the same examples for the same seed. So a batch can be drawn and tested in one go, and only
if something fails Hypothesis runs again: it meets the examples that it drew before, the first failing
one among them, and shrinks that with all its means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.strategies import SearchStrategy


def drawn(strategy: SearchStrategy[Any], count: int, seed: int) -> list[Any]:
    """At most ``count`` examples (fewer where there are no more), the same for the same seed.

    >>> from verification.strategies import spd
    >>> drawn(spd(2), 20, seed=3) == drawn(spd(2), 20, seed=3) != drawn(spd(2), 20, seed=4)
    True
    """
    found: list[Any] = []
    _run(strategy, found.append, count, seed)
    return found


def minimal(
    strategy: SearchStrategy[Any], wanted: Callable[[Any], bool], count: int = 1000, seed: int = 0
) -> Any:
    """The simplest example that is wanted, shrunk from the first of ``count``; None if there is none.

    Like ``hypothesis.find``, but it stops at what the first one shrinks to, and always does the same.

    >>> from verification.strategies import noises
    >>> [[int(x) for x in row] for row in minimal(noises(2), lambda C: C[0][1] < 0)]
    [[1, -1], [-1, 2]]
    """
    last: list[Any] = []

    def stop(example: Any) -> None:
        if wanted(example):
            last[:] = [example]
            raise _Wanted

    try:
        _run(strategy, stop, count, seed)
    except _Wanted:
        return last[0]
    return None


class _Wanted(Exception):
    """An example is as wanted: to Hypothesis, a failure to be shrunk."""


def _run(strategy: Any, see: Callable[[Any], None], count: int, number: int) -> None:
    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(example: Any) -> None:
        see(example)

    each()
