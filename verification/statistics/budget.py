"""One false-alarm probability for a whole run, split over named tests before any of them is run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sgtheory.errors import UnusableInput


@dataclass(frozen=True)
class Budget:
    """The shares of a total. A share belongs to a name, whoever asks first, and is rounded down.

    >>> run = Budget.split(1e-6, ["eq13", "eq25"])
    >>> run.of("eq25")
    5e-07
    >>> claim = run.part("eq13", ["mean", "variance"], [1, 4])
    >>> claim.of("variance"), claim.spent <= run.of("eq13")
    (4e-07, True)
    """

    total: float
    shares: tuple[tuple[str, float], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.shares]
        if len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise UnusableInput("a name for each test", f"{twice!r} twice", "name them apart")
        if not 0 < self.total < 1:
            raise UnusableInput("a probability between 0 and 1", repr(self.total), "change the budget")
        if any(not share > 0 for _, share in self.shares):
            raise UnusableInput("shares above 0", str(dict(self.shares)), "leave out what is not tested")
        if sum(Fraction(share) for _, share in self.shares) > Fraction(self.total):
            raise UnusableInput(
                f"shares that sum to at most {self.total:g}",
                f"{sum(share for _, share in self.shares):.17g}",
                "split the total with Budget.split",
            )

    @classmethod
    def split(cls, total: float, names: Sequence[str], weights: Sequence[float] | None = None) -> Budget:
        """The total in equal shares, or in proportion to weights; never more than the total."""
        chosen = [Fraction(w) for w in (weights or [1] * len(names))]
        if len(chosen) != len(names) or any(w <= 0 for w in chosen):
            raise UnusableInput(f"{len(names)} weights above 0", str(weights), "give one to each name")
        whole = Fraction(total) / sum(chosen) if chosen else Fraction(0)
        return cls(total, tuple((n, _below(whole * w)) for n, w in zip(names, chosen, strict=True)))

    def of(self, name: str) -> float:
        """The false-alarm probability of one test."""
        found: Mapping[str, float] = dict(self.shares)
        if name not in found:
            raise UnusableInput(
                f"one of {', '.join(found)}", name, "name every test before the first is run"
            )
        return found[name]

    def part(self, name: str, names: Sequence[str], weights: Sequence[float] | None = None) -> Budget:
        """The share of one name, split again."""
        return Budget.split(self.of(name), names, weights)

    @property
    def spent(self) -> float:
        """What all shares sum to, rounded up."""
        exact = sum((Fraction(share) for _, share in self.shares), Fraction(0))
        near = float(exact)
        return near if Fraction(near) >= exact else math.nextafter(near, 1.0)


def _below(exact: Fraction) -> float:
    """The largest float that is not above."""
    near = float(exact)
    return near if Fraction(near) <= exact else math.nextafter(near, 0.0)
