"""The regret of an online algorithm, a letter: what it loses beyond the best place that stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly, approximate_root
from verification.terms.term import Letter

WORDS = ()
DIGITS = 30
_RUNS = 64


@dataclass(frozen=True)
class OnlineStep:
    """A step that moves ``place`` against ``slope``, with step sizes ``size``/sqrt(t).

    Losses are linear on [-1, 1], their slopes ``steep`` once and -1 ``level`` times, in turn; the first
    place is 1 and all other states are zero. ``values`` are the parameters.
    """

    step: Step
    place: Any
    slope: Any
    size: Any
    values: tuple[tuple[Any, str], ...]
    steep: int = 4
    level: int = 2

    @property
    def numbers(self) -> dict[Any, Fraction]:
        """The parameters."""
        return {s: Fraction(x) for s, x in self.values}

    @property
    def slopes(self) -> tuple[int, ...]:
        """Of one period."""
        return (self.steep, *(-1,) * self.level)

    @property
    def told(self) -> str:
        """Such as: 4, -1, -1."""
        return ", ".join(map(str, self.slopes))

    def lost(self, periods: int) -> Fraction:
        """The regret after some periods, by running the step: the best place is -1."""
        return _run(self, periods)[0]

    def after(self, periods: int) -> Mapping[Any, Fraction]:
        """The states after some periods, by running the step."""
        return _run(self, periods)[1]


@lru_cache(maxsize=_RUNS)
def _run(online: OnlineStep, periods: int) -> tuple[Fraction, Mapping[Any, Fraction]]:
    states = {s: Fraction(int(s == online.place)) for s in online.step.state}
    lost, numbers = Fraction(sum(online.slopes) * periods), online.numbers
    for t in range(1, len(online.slopes) * periods + 1):
        slope = Fraction(online.slopes[(t - 1) % len(online.slopes)])
        lost += slope * states[online.place]
        size = numbers[online.size] / approximate_root(Fraction(t), DIGITS)
        known = {**numbers, online.size: size, online.slope: slope}
        states = online.step.run(Exactly(known, {}, DIGITS), states)
        states = {s: x.limit_denominator(10**DIGITS) for s, x in states.items()}
        states[online.place] = max(Fraction(-1), min(Fraction(1), states[online.place]))
    return lost, states


@dataclass(frozen=True)
class Regret(Letter):
    """The letter, and the algorithm whose regret it is."""

    of: OnlineStep = field(kw_only=True)


def regret(name: str, of: OnlineStep) -> Regret:
    """A letter for the regret of an algorithm."""
    return Regret(name, "real", of=of)
