"""What a comparison found: its tests, each with effect and p-value, and what they would have seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sgtheory.notation.display import Shown
from verification.statistics.kinds import Kind
from verification.statistics.multiplicity import holm
from verification.statistics.planning import POWER, Planned, detectable


@dataclass(frozen=True)
class Test:
    """One exact test: ``effect`` is the relative (variance) or standardised (mean) deviation."""

    name: str
    statistic: float
    p_value: float
    effect: float
    kind: Kind | None = field(default=None, compare=False)  # None: chance has no part in it

    __test__ = False  # pytest looks for classes of this name


@dataclass(repr=False, frozen=True)
class Comparison(Shown):
    """All tests of one ensemble against one law, under a family-wise false-alarm probability."""

    tests: tuple[Test, ...]
    chains: int
    false_alarm: float
    planned: Planned | None = None

    @property
    def threshold(self) -> float:
        """The p-value below which a first test is rejected."""
        return self.false_alarm / max(sum(t.kind is not None for t in self.tests), 1)

    @cached_property
    def adjusted(self) -> dict[str, float]:
        """Holm's adjusted p-value of every test."""
        chance = [t for t in self.tests if t.kind is not None]
        found = dict(zip((t.name for t in chance), holm([t.p_value for t in chance]), strict=True))
        return {t.name: found.get(t.name, t.p_value) for t in self.tests}

    @property
    def rejected(self) -> tuple[str, ...]:
        """The tests that reject, with at most the stated probability of any false one among them."""
        return tuple(name for name, p in self.adjusted.items() if p < self.false_alarm)

    @property
    def worst(self) -> Test:
        """The test with the smallest p-value."""
        return min(self.tests, key=lambda t: t.p_value)

    @property
    def agrees(self) -> bool:
        """Whether no test rejects."""
        return not self.rejected

    @cached_property
    def resolution(self) -> float:
        """The relative error of a single variance that would have been seen with probability 0.99."""
        return detectable(self.chains, self.threshold)

    def sees(self, name: str, power: float = POWER) -> float:
        """The smallest effect that the test of this name would have seen, in its own unit."""
        test = next(t for t in self.tests if t.name == name)
        return 0.0 if test.kind is None else detectable(self.chains, self.threshold, power, test.kind)

    def to_json(self) -> dict[str, Any]:
        """The numbers that a verdict carries."""
        document: dict[str, Any] = {
            "tests": len(self.tests),
            "false_alarm": self.false_alarm,
            "smallest_p": self.worst.p_value,
            "at": self.worst.name,
            "agrees": self.agrees,
            "detectable_relative_error": self.resolution,
            "power": POWER,
        }
        if self.rejected:
            document["rejected"] = list(self.rejected)
        if self.planned is not None:
            document["planned"] = self.planned.to_json()
        return document
