"""One false-alarm budget for a whole run of tests, and how it is divided.

A run has a budget, say 1e-6. A test that declares a false-alarm rate takes that out of it; the others
share what is left evenly. Within a test the k-th check has 2^(-k) of its share, so that it may make as
many as it likes. Within a check, one half is for the verdict, Bonferroni over its problems and their
tests, and the other for shrinking: the k-th problem that is tried there, on numbers of its own, has
1/(k (k + 1)) of that half. All of these add up to at most the budget, whatever is chosen on the way. So
that is a bound on the probability that anything is said of a right sampler: that a test of it fails,
or that the problem a failure was shrunk to is one on which it is right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sgtheory.errors import UnusableInput

EFFECT, POWER = 0.05, 0.99


@dataclass(frozen=True)
class Demand:
    """What a test declares: its false-alarm rate (None: its share), and what it must not miss.

    ``effect`` is the relative error of a variance that is found with probability ``power``.
    """

    false_alarm: float | None = None
    effect: float = EFFECT
    power: float = POWER

    @classmethod
    def read(cls, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Demand:
        """The demand of a marker: names and numbers checked.

        >>> Demand.read((), {"effect": 0.01})
        Demand(false_alarm=None, effect=0.01, power=0.99)
        """
        known = ("false_alarm", "effect", "power")
        unknown = [*map(repr, arguments), *(k for k in keywords if k not in known)]
        if unknown:
            raise UnusableInput("keywords " + ", ".join(known), ", ".join(unknown), "mend the marker")
        for name, value in keywords.items():
            fits = isinstance(value, int | float) and value > 0 and (name == "effect" or value < 1)
            if not fits and not (name == "false_alarm" and value is None):
                top = "" if name == "effect" else " and below 1"
                raise UnusableInput(f"{name} above 0{top}", repr(value), "mend the marker")
        return cls(**keywords)


def read_budget(text: str) -> float:
    """The budget of a run, from its configuration."""
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not 0 < budget < 1:
        raise UnusableInput(
            "sgtheory_false_alarm as a probability", repr(text), "write sgtheory_false_alarm = 1e-6"
        )
    return budget


def split(declared: Mapping[str, float | None], budget: float) -> dict[str, float]:
    """The false-alarm rate of every test, adding up to at most the budget.

    >>> shares = split({"a": 4e-7, "b": None, "c": None}, 1e-6)
    >>> [f"{share:.0e}" for share in shares.values()]
    ['4e-07', '3e-07', '3e-07']
    """
    taken = math.fsum(rate for rate in declared.values() if rate is not None)
    open_ = sum(rate is None for rate in declared.values())
    rounding = budget * 1e-9  # that ten tenths of a budget are the budget
    if taken > budget + rounding or (open_ and taken > budget - rounding):
        left = f", which leaves nothing for {open_} more" if taken <= budget + rounding else ""
        raise UnusableInput(
            f"false-alarm rates that add up to at most {budget:g}, the budget of the run",
            f"{taken:g} in {len(declared) - open_} tests{left}",
            "declare less, or raise sgtheory_false_alarm",
        )
    rest = (budget - taken) / open_ if open_ else 0.0
    return {name: rest if rate is None else rate for name, rate in declared.items()}


def of_check(share: float, k: int) -> float:
    """What the k-th check of a test may spend, k from 1."""
    return share * 0.5**k


def of_trial(half: float, k: int) -> float:
    """What the k-th problem tried in shrinking may spend, k from 1."""
    return half / (k * (k + 1))
