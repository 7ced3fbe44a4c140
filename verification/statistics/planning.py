"""Planning: how many chains a test needs, and the smallest effect that it sees with a stated power.

Powers are exact, so these are solutions of an equation and no rules of thumb. A budget names the effect
to be resolved; the number of chains follows from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from verification.statistics.kinds import Kind, Scale

POWER = 0.99
EFFECTS = {"quick": 0.01, "standard": 0.003, "deep": 0.001}  # relative errors of a variance

_MOST = 10**12  # chains


@dataclass(repr=False, frozen=True)
class Planned(Shown):
    """What a run of tests was planned to see, and the chains that it takes."""

    effect: float
    power: float
    false_alarm: float
    tests: int
    chains: int

    def to_json(self) -> dict[str, Any]:
        """As evidence carries it."""
        return dict(vars(self))


def power_of(kind: Kind, effect: float, chains: int, level: float) -> float:
    """The probability that an effect of this size is found, in the direction that is harder to see."""
    return min(kind.power(effect, chains, level), kind.power(-effect, chains, level))


def detectable(chains: int, threshold: float, power: float = POWER, kind: Kind | None = None) -> float:
    """The smallest effect that is found with the given probability: of a variance, its relative error.

    >>> 0.009 < detectable(1_000_000, 1e-7) < 0.012
    True
    """
    from scipy.optimize import brentq

    of = kind or Scale()

    def gap(logarithm: float) -> float:
        return power_of(of, math.exp(logarithm), chains, threshold) - power

    high = 0.5 * math.log(2 / chains)  # a standard error of a variance
    while gap(high) < 0:
        high += 1
        if high > 50:
            return math.inf
    low = high - 1
    while gap(low) > 0:
        low -= 1
    return math.exp(float(brentq(gap, low, high, xtol=1e-12)))


@lru_cache(maxsize=1_000)  # claims on one sampler ask the same
def chains_for(effect: float, threshold: float, power: float = POWER, kind: Kind | None = None) -> int:
    """How many chains find an effect of the given size: the inverse of ``detectable``.

    >>> n = chains_for(0.01, 1e-7)
    >>> power_of(Scale(), 0.01, n, 1e-7) >= 0.99 > power_of(Scale(), 0.01, n - 1, 1e-7)
    True
    """
    of = kind or Scale()
    if not effect > 0 or not 0 < threshold < power < 1:
        raise UnusableInput(
            "an effect above 0 and 0 < false alarm < power < 1",
            f"effect {effect:g}, false alarm {threshold:g}, power {power:g}",
            "change them",
        )

    def enough(chains: int) -> bool:
        return power_of(of, effect, chains, threshold) >= power

    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise UnusableInput(f"an effect that {_MOST:,} chains resolve", f"{effect:g}", "raise it")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def plan(effect: float, false_alarm: float, power: float, tests: Sequence[Kind]) -> Planned:
    """The chains with which each of some tests finds an effect of this size, at its share of the budget.

    >>> from verification.statistics.kinds import Mean
    >>> plan(0.01, 1e-6, 0.99, [Mean(), Scale()]).chains
    1090726
    """
    if not tests:
        raise UnusableInput("at least one test", "none", "name the tests")
    level = false_alarm / len(tests)
    chains = max(chains_for(effect, level, power, kind) for kind in set(tests))
    return Planned(effect, power, false_alarm, len(tests), chains)


def effect_of(budget: str) -> float:
    """The relative error of a variance that a budget resolves.

    >>> effect_of("quick")
    0.01
    """
    if budget not in EFFECTS:
        raise UnusableInput(f"a budget of {', '.join(EFFECTS)}", repr(budget), "choose one of them")
    return EFFECTS[budget]
