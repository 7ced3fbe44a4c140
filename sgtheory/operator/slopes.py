"""The order of a stationary error as a slope at halved steps, without Monte Carlo noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.operator.stationary import stationary
from sgtheory.problem import Problem

_GUARD = 2.0  # how many times the last change of a slope is taken for what it still lacks


@dataclass(frozen=True)
class Slope:
    """log(error) over log(step) as the step vanishes. ``error`` is that of the slope."""

    value: float
    error: float
    errors: tuple[float, ...]  # of the expectations, one to each step
    stated: tuple[float, ...]  # how well those are known

    def agrees(self, order: float) -> bool:
        """Whether an order is within the error."""
        return abs(self.value - order) <= self.error


def slope(errors: Sequence[float], stated: Sequence[float]) -> Slope:
    """From errors at steps each half of the one before, and how well each is known.

    Slopes between neighbours differ by a multiple of the step; so the last two are extrapolated.

    >>> found = slope([h + h**2 for h in (0.1, 0.05, 0.025)], [0, 0, 0])
    >>> round(found.value, 3), found.agrees(1), found.agrees(2)
    (1.002, True, False)
    """
    if len(errors) < 3:
        raise UnusableInput("three steps", f"{len(errors)}", "halve the step again")
    if any(abs(e) <= 2 * s for e, s in zip(errors, stated, strict=True)):
        raise UnusableInput("errors that are known", f"{list(errors)} +- {list(stated)}", "larger steps")
    *_, a, b = (log2(e / f) for e, f in pairwise(errors))
    unknown = [2 * s / abs(e) for e, s in zip(errors[-3:], stated[-3:], strict=True)]
    return Slope(
        2 * b - a,
        _GUARD * abs(b - a) + 2 * (unknown[1] + unknown[2]) + unknown[0] + unknown[1],
        tuple(errors),
        tuple(stated),
    )


def order_of(
    sampler: Any,
    problem: Problem,
    sizes: Sequence[dict[str, Any]],
    f: Callable[..., Any],
    exact: float,
    accuracy: float = 1e-8,
) -> Slope:
    """The slope at which an expectation in the stationary law tends to what it should be.

    ``sizes`` are parameters, the step halved each time.

    >>> well = Problem.of({"hessian": [[1]], "noise": [[0]], "N": 1, "S": 1})
    >>> sizes = [{"gamma": g} for g in ("1/8", "1/16", "1/32")]
    >>> order_of("lmc", well, sizes, lambda theta: theta**2, 1.0).agrees(1)
    True
    """
    found = [stationary(sampler, problem.with_params(**p), accuracy=accuracy).expect(f) for p in sizes]
    return slope([value - exact for value, _ in found], [error for _, error in found])
