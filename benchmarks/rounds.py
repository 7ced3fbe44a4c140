"""Runs in rounds: every contender in turn, and what is compared within one round only."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timed:
    """One run of one contender in one round."""

    round: int
    contender: str
    work: int  # chain-steps
    wall: float
    cpu: float

    @property
    def rate(self) -> float:
        """Chain-steps a CPU second."""
        return self.work / self.cpu


@dataclass(frozen=True)
class Spread:
    """A median with the least and the greatest value."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """
        >>> Spread.of([3.0, 1.0, 2.0])
        Spread(median=2.0, least=1.0, greatest=3.0)
        """
        return cls(statistics.median(values), min(values), max(values))

    def to_json(self) -> dict[str, float]:
        """The three numbers by name."""
        return {"median": self.median, "least": self.least, "greatest": self.greatest}


def rates(runs: Sequence[Timed]) -> dict[str, dict[str, Any]]:
    """For each contender its rates: chain-steps a CPU second and a wall second."""
    return {
        name: {
            "per_cpu_second": Spread.of([r.rate for r in mine]).to_json(),
            "per_second": Spread.of([r.work / r.wall for r in mine]).to_json(),
        }
        for name, mine in _by_contender(runs).items()
    }


def ratios(runs: Sequence[Timed], ours: str = "ours") -> dict[str, Spread]:
    """How many times our rate is each other's, per CPU second, within the same round.

    A round in which one of the two has no run does not count.

    >>> slow = [Timed(r, "theirs", 10, 1.0, 1.0 + r) for r in range(3)]
    >>> fast = [Timed(r, "ours", 80, 1.0, 2.0 + 2 * r) for r in range(3)]
    >>> ratios([*slow, *fast])["theirs"]
    Spread(median=4.0, least=4.0, greatest=4.0)
    """
    found = _by_contender(runs)
    own = {r.round: r.rate for r in found.pop(ours, [])}
    pairs = {
        name: [own[r.round] / r.rate for r in theirs if r.round in own] for name, theirs in found.items()
    }
    return {name: Spread.of(values) for name, values in pairs.items() if values}


def fraction(runs: Sequence[Timed], floors: Mapping[int, float], ours: str = "ours") -> Spread | None:
    """Which share of the machine's limit we reach; ``floors`` has seconds a chain-step, by round."""
    own = [r.rate * floors[r.round] for r in runs if r.contender == ours and r.round in floors]
    return Spread.of(own) if own else None


def _by_contender(runs: Sequence[Timed]) -> dict[str, list[Timed]]:
    found: dict[str, list[Timed]] = {}
    for run in runs:
        found.setdefault(run.contender, []).append(run)
    return found
